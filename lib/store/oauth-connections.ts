import * as z from 'zod';
import { collected } from './collected.ts';
import { put, remove } from './expressions.ts';
import {
  connectionKey,
  oauthTokenPlaceKey,
  TOKEN_CONNECTION,
  type TokenOwner,
  tokenConnectionKey,
} from './oauth-keys.ts';
import { find, queryAll, type Write } from './operations.ts';
import { startingWith } from './sort-key-range.ts';
import type { Table } from './table.ts';

type AgentOwner = Pick<TokenOwner, 'tenantId' | 'ownerId' | 'agentId'>;

/** An agent may act with a token of the user who connected them. What is shown of the token is read from the token. */
export const connection = z.object({
  v: z.literal(1),
  entity: z.literal('oauth_connection'),
  tenant_id: z.string(),
  id: z.string(),
  agent_id: z.string(),
  owner_id: z.string(),
  token_id: z.string(),
  /** Where the token lies among its owner's. */
  token_sk: z.string(),
  provider_id: z.string(),
  created_at: z.string(),
});
export type Connection = z.infer<typeof connection>;

/** Its thin twin beside the token's place. */
export const tokenConnection = z.object({
  v: z.literal(1),
  entity: z.literal('oauth_token_connection'),
  tenant_id: z.string(),
  id: z.string(),
  agent_id: z.string(),
});
export type TokenConnection = z.infer<typeof tokenConnection>;

export const findConnection = (
  table: Table,
  owner: AgentOwner,
  connectionId: string,
): Promise<Connection | undefined> => find(table, connectionKey(owner, connectionId), connection);

/** A user's own connections of an agent, newest first. */
export async function connectionsOf(table: Table, owner: AgentOwner): Promise<Connection[]> {
  const { pk, sk } = connectionKey(owner, '');
  return collected(queryAll(table, connection, { pk, between: startingWith(sk), newestFirst: true }));
}

/** The connections that use a token. */
export async function connectionsOfToken(
  table: Table,
  tenantId: string,
  tokenId: string,
): Promise<TokenConnection[]> {
  const { pk } = oauthTokenPlaceKey(tenantId, tokenId);
  return collected(queryAll(table, tokenConnection, { pk, between: startingWith(TOKEN_CONNECTION) }));
}

/** Both items of a new connection. `beside`: attributes that lie beside the shape. */
export function putConnection(item: Connection, beside: Record<string, unknown>): Write[] {
  const owner = { tenantId: item.tenant_id, ownerId: item.owner_id, agentId: item.agent_id };
  const { v, tenant_id, id, agent_id } = item;
  const twin: TokenConnection = { v, entity: 'oauth_token_connection', tenant_id, id, agent_id };
  return [
    put('connection', { ...connectionKey(owner, id), ...item, ...beside }),
    put('token_connection', { ...tokenConnectionKey(tenant_id, item.token_id, id), ...twin }),
  ];
}

/** Removes both items of a connection of this token's owner. */
export const removeConnection = (
  owner: Pick<TokenOwner, 'tenantId' | 'ownerId'>,
  tokenId: string,
  { id, agent_id }: Pick<TokenConnection, 'id' | 'agent_id'>,
): Write[] => [
  remove(`connection ${id}`, connectionKey({ ...owner, agentId: agent_id }, id)),
  remove(`token_connection ${id}`, tokenConnectionKey(owner.tenantId, tokenId, id)),
];
