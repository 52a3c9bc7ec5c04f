import type { OAuthProvider } from '../../../lib/core/items/oauth-providers.ts';
import { createConnection } from '../../../lib/features/oauth-connections/create.ts';
import { deleteConnection } from '../../../lib/features/oauth-connections/delete.ts';
import { listConnections } from '../../../lib/features/oauth-connections/list.ts';
import { getConnectionToken } from '../../../lib/features/oauth-connections/token.ts';
import { changeTokenMetadata } from '../../../lib/features/oauth-tokens/change-metadata.ts';
import { deleteToken } from '../../../lib/features/oauth-tokens/delete.ts';
import { deleteTokens } from '../../../lib/features/oauth-tokens/delete-all.ts';
import { tokenExists } from '../../../lib/features/oauth-tokens/exists.ts';
import { importToken } from '../../../lib/features/oauth-tokens/import.ts';
import { listTokens } from '../../../lib/features/oauth-tokens/list.ts';
import * as rows from '../../../lib/features/oauth-tokens/routes.ts';
import { allItems, aWorld, type World } from '../world/world.ts';
import { aGrant, aStoredProvider } from './grants.ts';
import { anOAuthProvider, type TestProvider } from './provider.ts';

/**
 * Requests about OAuth tokens and connections as clients send them, to a control plane with a provider at a
 * real authorization server.
 */
export type GrantingWorld = World & { server: TestProvider; provider: OAuthProvider };

export async function aGrantingWorld(): Promise<GrantingWorld> {
  const world = await aWorld();
  const server = await anOAuthProvider();
  return { ...world, server, provider: await aStoredProvider(world, server) };
}

type Asking = Pick<World, 'deps' | 'caller'>;
export const grant = (world: GrantingWorld, wish?: Parameters<typeof aGrant>[3]) =>
  aGrant(world, world.server, world.provider, wish);
const query = { provider_id: 'acme' };
export const list = ({ deps, caller }: Asking) => listTokens(deps, { query }, caller);
export const exists = async ({ deps, caller }: Asking) =>
  (await tokenExists(deps, { query }, caller)).has_token;
export const removeAll = ({ deps, caller }: Asking) => deleteTokens(deps, { query }, caller);
export const remove = ({ deps, caller }: Asking, id: string) =>
  deleteToken(deps, { params: { token_id: id } }, caller);
export const change = ({ deps, caller }: Asking, id: string, body: object) =>
  changeTokenMetadata(
    deps,
    { params: { token_id: id }, body: rows.changeTokenMetadata.body.parse(body) },
    caller,
  );
export const bring = ({ deps, caller }: Asking, body: object) =>
  importToken(deps, { body: rows.importToken.body.parse({ provider_id: 'acme', ...body }) }, caller);
export const connect = ({ deps, caller }: Asking, agentId: string, tokenId: string) =>
  createConnection(deps, { params: { agent_id: agentId }, body: { oauth_token_id: tokenId } }, caller);
export const connections = async ({ deps, caller }: Asking, agentId: string) =>
  (await listConnections(deps, { params: { agent_id: agentId } }, caller)).data;
export const disconnect = ({ deps, caller }: Asking, agentId: string, id: string) =>
  deleteConnection(deps, { params: { agent_id: agentId, connection_id: id } }, caller);
export const token = ({ deps, caller }: Asking, agentId: string, id: string) =>
  getConnectionToken(deps, { params: { agent_id: agentId, connection_id: id } }, caller);

/** Somebody else in the same tenant, and in another tenant of the same organization. */
export const others = (world: World): World[] => [
  world.as({ userId: 'somebody else' }),
  world.as({ tenantId: world.deps.clock.randomId() }),
];

/** The kinds of all items that are stored. */
export const entities = async (world: GrantingWorld) =>
  (await allItems(world.deps.table)).map(({ entity }) => String(entity)).sort();
