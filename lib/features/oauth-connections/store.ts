import type { AuditMark } from '../../core/items/audit-events.ts';
import type { OAuthToken } from '../../core/items/oauth-token-shapes.ts';
import {
  findTokenAt,
  keyDigest,
  keyOfToken,
  type Owner,
  oauthTokenPlaceKey,
} from '../../core/items/oauth-tokens.ts';
import { collected } from '../../store/dynamodb/collected.ts';
import { atMost, present, put, remove, update } from '../../store/dynamodb/expressions.ts';
import { find, queryAll } from '../../store/dynamodb/reads.ts';
import { startingWith } from '../../store/dynamodb/sort-key-range.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import type { Key } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';
import { type Connection, connection, type TokenConnection, tokenConnection } from './items.ts';

/** An agent that acts for a user. */
export type AgentOwner = Owner & { agentId: string };

/** Where the sort keys of connections begin beside their token's place. */
export const TOKEN_CONNECTION = 'C#';

/** Beside the token's place, so that who deletes the token finds its connections. */
export const tokenConnectionKey = (tenantId: string, tokenId: string, connectionId: string): Key => ({
  pk: oauthTokenPlaceKey(tenantId, tokenId).pk,
  sk: `${TOKEN_CONNECTION}${connectionId}`,
});

/** Whoever does not own a connection looks in another place for it. */
export const connectionKey = ({ tenantId, ownerId, agentId }: AgentOwner, connectionId: string): Key => ({
  pk: `T#${tenantId}#OC#${agentId}`,
  sk: `${keyDigest(ownerId)}#${connectionId}`,
});

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

/** The token that a connection lets its agent use. */
export const findConnectedToken = (table: Table, item: Connection): Promise<OAuthToken | undefined> =>
  findTokenAt(table, { tenantId: item.tenant_id, ownerId: item.owner_id }, item.token_sk);

/** A new connection of an agent to a token of its user. */
export const connectionTo = (
  token: OAuthToken,
  { id, agentId, now }: { id: string; agentId: string; now: number },
): Connection => ({
  v: 1,
  entity: 'oauth_connection',
  tenant_id: token.tenant_id,
  id,
  agent_id: agentId,
  owner_id: token.owner_id,
  token_id: token.id,
  token_sk: keyOfToken(token).sk,
  provider_id: token.provider_id,
  created_at: new Date(now).toISOString(),
});

/** A token goes with all of its connections in one transaction, which takes a hundred writes. */
export const CONNECTIONS_MAX = 40;

/** The name of the write that fails when a token is not there, or has as many connections as it can have. */
export const TOKEN_PLACE = 'place';

const countConnections = (item: Connection, by: 1 | -1, ...when: Parameters<typeof update>[3][]): Write =>
  update(
    TOKEN_PLACE,
    oauthTokenPlaceKey(item.tenant_id, item.token_id),
    { add: { connections: by } },
    present('pk'),
    ...when,
  );

const keysOf = (item: Connection) => ({
  own: connectionKey({ tenantId: item.tenant_id, ownerId: item.owner_id, agentId: item.agent_id }, item.id),
  twin: tokenConnectionKey(item.tenant_id, item.token_id, item.id),
});

/**
 * Stores a new connection, counted beside its token, so that it goes with the token. Demands that the token
 * is there and has room for another connection. `audit`: who asked for it.
 */
export function putConnection(item: Connection, audit?: AuditMark): Write[] {
  const { v, tenant_id, id, agent_id } = item;
  const twin: TokenConnection = { v, entity: 'oauth_token_connection', tenant_id, id, agent_id };
  const keys = keysOf(item);
  return [
    countConnections(item, 1, atMost('connections', CONNECTIONS_MAX - 1)),
    put('connection', { ...keys.own, ...item, audit }),
    put('token_connection', { ...keys.twin, ...twin }),
  ];
}

/** Removes a connection. Demands that it is there, and its token too. */
export function removeConnection(item: Connection): Write[] {
  const keys = keysOf(item);
  return [
    remove('connection', keys.own, present('pk')),
    remove('token_connection', keys.twin),
    countConnections(item, -1),
  ];
}

/**
 * Removes all connections of a token that goes with them. Demands nothing: the token's own removal demands
 * that they are all.
 */
export const removeConnectionsOf = (token: OAuthToken, connections: readonly TokenConnection[]): Write[] =>
  connections.flatMap(({ id, agent_id: agentId }) => [
    remove(
      `connection ${id}`,
      connectionKey({ tenantId: token.tenant_id, ownerId: token.owner_id, agentId }, id),
    ),
    remove(`token_connection ${id}`, tokenConnectionKey(token.tenant_id, token.id, id)),
  ]);
