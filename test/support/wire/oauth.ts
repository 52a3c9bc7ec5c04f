import { expect } from 'vitest';
import { anOAuthProvider } from '../oauth/provider.ts';
import type { open } from './wired-world.ts';

type Opened = Awaited<ReturnType<typeof open>>;

/** Each route of OAuth providers, to its success and to each of its refusals. */
export async function expectProviders({ ask, refused }: Opened): Promise<void> {
  const server = await anOAuthProvider();
  const { mcpServerUrl: mcp_server_url, authUrl: auth_url, tokenUrl: token_url } = server;
  const wanted = { provider_id: 'idp', name: 'n', client_id: 'c', client_secret: 'never-shown' };
  const body = { ...wanted, auth_url, token_url };
  const ofIt = { params: { provider_id: 'idp' } };
  await ask('createProvider', { body });
  await refused('oauth_provider_taken', { providerId: 'idp' }, 'createProvider', { body });
  await ask('discoverProvider', { body: { provider_id: 'tools', name: 'tools', mcp_server_url } });
  expect(await ask('listProviders')).toHaveLength(2);
  const { id } = await ask('getProvider', ofIt);
  const byId = { params: { provider_id: id } };
  expect(await ask('getProvider', byId)).toMatchObject({ provider_id: 'idp' });
  await ask('patchProvider', { ...byId, body: { user_binding: 'strict' } });
  expect(await ask('deleteProvider', byId)).toMatchObject({ provider_id: 'idp' });
  await refused('oauth_provider_not_found', { providerId: 'idp' }, 'getProvider', ofIt);
}

/** The same of OAuth tokens and of connections to them. */
export async function expectTokens({ ask, refused }: Opened): Promise<void> {
  const server = await anOAuthProvider();
  const { authUrl: auth_url, tokenUrl: token_url, revocationUrl: revocation_url } = server;
  const provider_id = 'idp';
  const provider = { provider_id, name: 'n', client_id: 'c', client_secret: 'never-shown' };
  await ask('createProvider', { body: { ...provider, auth_url, token_url, revocation_url } });
  const body = { provider_id, access_token: 'never-shown', refresh_token: 'never-shown', user_id: 'u' };
  const query = { provider_id };
  for (const [operation, given] of [
    ['deleteToken', {}],
    ['deleteTokens', { query }],
  ] as const) {
    const { id } = await ask('importToken', { body });
    await ask(operation, { params: { token_id: id }, ...given });
  }
  const { id: token_id } = await ask('importToken', { body });
  expect(await ask('listTokens', { query })).toMatchObject([{ id: token_id, user_id: 'u' }]);
  expect(await ask('tokenExists', { query })).toEqual({ has_token: true });
  const ofToken = { params: { token_id } };
  await ask('changeTokenMetadata', { ...ofToken, body: { metadata: { a: 1 }, is_default: true } });
  const agent = { agent_id: 'support' };
  const wish = { params: agent, body: { oauth_token_id: token_id } };
  const { id: connection_id } = await ask('createConnection', wish);
  await ask('listConnections', { params: agent });
  const ofConnection = { params: { ...agent, connection_id } };
  expect(await ask('getConnectionToken', ofConnection)).toMatchObject({ access_token: 'never-shown' });
  const expired = (user_id: string) =>
    ask('importToken', { body: { ...body, user_id, expires_at: '2026-01-01T00:00:00Z' } });
  await expired('w');
  const { id: another } = await expired('v');
  const over = await ask('createConnection', { params: agent, body: { oauth_token_id: another } });
  const ofOver = { params: { ...agent, connection_id: over.id } };
  server.faults.token = 500;
  const wished = { body: { provider: provider_id, scopes: [], user_id: 'w' } };
  await refused('provider_unavailable', { providerId: provider_id }, 'authenticate', wished);
  await refused('provider_unavailable', { providerId: provider_id }, 'getConnectionToken', ofOver);
  await ask('patchProvider', {
    params: { provider_id },
    body: { token_url: `${token_url}/other`, client_secret: 'never-shown' },
  });
  await refused('token_expired', { providerId: provider_id }, 'getConnectionToken', ofOver);
  await ask('deleteConnection', ofConnection);
  await refused('connection_not_found', { id: connection_id }, 'deleteConnection', ofConnection);
  await ask('deleteToken', ofToken);
  await refused('oauth_token_not_found', { id: token_id }, 'deleteToken', ofToken);
  expect(await ask('deleteTokens', { query })).toMatchObject({ provider_id, deleted: 2 });
  for (const operation of ['listTokens', 'tokenExists', 'deleteTokens'])
    await refused('oauth_provider_not_found', { providerId: 'none' }, operation, {
      query: { provider_id: 'none' },
    });
}
