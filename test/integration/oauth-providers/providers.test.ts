import { beforeEach, describe, expect, it } from 'vitest';
import type { Deps } from '../../../lib/core/deps.ts';
import { getNamedProvider } from '../../../lib/core/items/oauth-providers.ts';
import { clientOf } from '../../../lib/core/oauth/client.ts';
import { createProvider } from '../../../lib/features/oauth-providers/create.ts';
import { deleteProvider } from '../../../lib/features/oauth-providers/delete.ts';
import { getProvider } from '../../../lib/features/oauth-providers/get.ts';
import { listProviders } from '../../../lib/features/oauth-providers/list.ts';
import { discoverProvider } from '../../../lib/features/oauth-providers/mcp-discover.ts';
import { patchProvider } from '../../../lib/features/oauth-providers/patch.ts';
import {
  changeProviderBody,
  createProviderBody,
  discoverProviderBody,
} from '../../../lib/features/oauth-providers/shape.ts';
import { aHostileProvider } from '../../support/oauth/hostile.ts';
import { anOAuthProvider } from '../../support/oauth/provider.ts';
import { scriptedDiscovery } from '../../support/oauth/scripted.ts';
import { allItems, aWorld, type World } from '../../support/world/world.ts';

const SECRET = 'canary-client-secret-31415926';
const idp = { auth_url: 'https://idp.example/auth', token_url: 'https://idp.example/token' };

let world: World;
beforeEach(async () => {
  world = await aWorld();
});

/** Nobody outside is asked, unless a test says so. */
const quiet = (): Deps => ({ ...world.deps, oauthDiscovery: scriptedDiscovery });

const create = (wish: object = {}, { caller } = world, deps = quiet()) => {
  const usual = { provider_id: 'idp', name: 'ours', client_id: 'me', client_secret: SECRET, ...idp };
  return createProvider(deps, { body: createProviderBody.parse({ ...usual, ...wish }) }, caller);
};
const patch = (wish: object, providerId = 'idp', deps = quiet()) => {
  const params = { provider_id: providerId };
  return patchProvider(deps, { params, body: changeProviderBody.parse(wish) }, world.caller);
};
const of = (provider_id: string) => ({ params: { provider_id } });
const item = (providerId = 'idp') =>
  getNamedProvider(world.deps.table, world.caller.organizationId, providerId);

describe('a provider', () => {
  it('is created with what is given and what follows from it, shown, listed and deleted', async () => {
    const shown = await create();
    expect(shown).toEqual({
      ...{ id: expect.any(String), organization_id: world.caller.organizationId, provider_id: 'idp' },
      ...{ name: 'ours', client_id: 'me', ...idp, uses_pkce: true, code_challenge_method: 'S256' },
      ...{ created_at: expect.any(String), updated_at: expect.any(String), provider_type: null },
      ...{ mcp_server_url: null, token_endpoint_auth_method: 'client_secret_post' },
      ...{ authorization_params: {}, is_dynamic_client: false, allowed_redirect_uris: [] },
      user_binding: 'browser',
    });
    expect(await getProvider(world.deps, of('idp'), world.caller)).toEqual(shown);
    await create({ provider_id: 'another' });
    const listed = await listProviders(world.deps, {}, world.caller);
    expect(listed.map(({ provider_id }) => provider_id)).toEqual(['another', 'idp']);
    const twice = [1, 2].map(() => deleteProvider(world.deps, of('another'), world.caller));
    const ends = await Promise.allSettled(twice);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { status: 404 } });
    const deleted = await deleteProvider(world.deps, of('idp'), world.caller);
    expect(deleted).toEqual({ message: "OAuth provider 'idp' deleted.", provider_id: 'idp' });
    await expect(getProvider(world.deps, of('idp'), world.caller)).rejects.toThrow(
      "OAuth provider 'idp' not found.",
    );
    await expect(deleteProvider(world.deps, of('idp'), world.caller)).rejects.toMatchObject({ status: 404 });
    await expect(patch({ name: 'x' })).rejects.toMatchObject({ status: 404 });
  });

  it('has a name that is its own in the organization, for all its tenants and no others', async () => {
    await create();
    await expect(create()).rejects.toMatchObject({ status: 409, message: /'idp' already exists/ });
    const sister = world.as({ tenantId: world.deps.clock.randomId() });
    expect(await listProviders(world.deps, {}, sister.caller)).toHaveLength(1);
    const stranger = world.as({ organizationId: world.deps.clock.randomId() });
    expect(await listProviders(world.deps, {}, stranger.caller)).toEqual([]);
    await create({}, stranger);
    await deleteProvider(world.deps, of('idp'), stranger.caller);
    expect(await listProviders(world.deps, {}, world.caller)).toHaveLength(1);
  });

  it('keeps its secret as ciphertext that opens for this organization and provider alone', async () => {
    await create();
    expect(JSON.stringify(await allItems(world.deps.table))).not.toContain(SECRET);
    const kept = await item();
    expect(await clientOf(world.deps, kept)).toMatchObject({ clientSecret: SECRET });
    for (const changed of [{ organization_id: world.deps.clock.randomId() }, { provider_id: 'other' }]) {
      await expect(clientOf(world.deps, { ...kept, ...changed })).rejects.toThrow();
    }
  });

  it('keeps who made, changed and deleted it', async () => {
    await create();
    const marks = async () =>
      (await allItems(world.deps.table)).map(
        ({ audit, action, subject_id }) => audit ?? { action, subject_id },
      );
    const by = { user_id: world.caller.userId, subject_id: 'idp' };
    expect(await marks()).toMatchObject([{ ...by, action: 'oauth_provider.create' }]);
    await patch({ name: 'new' });
    expect(await marks()).toMatchObject([{ ...by, action: 'oauth_provider.change' }]);
    await deleteProvider(world.deps, of('idp'), world.caller);
    expect(await marks()).toEqual([{ action: 'oauth_provider.delete', subject_id: 'idp' }]);
  });

  it('is made once however many ask for it at once', async () => {
    const answers = await Promise.allSettled([create(), create(), create()]);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('learns what its server publishes, and lives without that', async () => {
    const server = await anOAuthProvider();
    const { authUrl: auth_url, tokenUrl: token_url } = server;
    await create({ auth_url, token_url }, world, world.deps);
    expect(await item()).toMatchObject({
      ...{ issuer: server.url, revocation_url: server.revocationUrl, iss_in_response: true },
    });
    expect(await clientOf(world.deps, await item())).toMatchObject({ issuer: server.url });
    server.faults.discovery = 500;
    await create({ provider_id: 'other', auth_url, token_url }, world, world.deps);
    expect(await item('other')).not.toHaveProperty('issuer');
  });
});

describe('a change', () => {
  it('leaves what is absent, and a null, as it was', async () => {
    const before = await create({ provider_type: 'google', authorization_params: { prompt: 'consent' } });
    const changed = await patch({
      name: 'new',
      allowed_redirect_uris: ['https://a.example/x'],
      client_id: null,
    });
    const { updated_at: _, ...rest } = before;
    expect(changed).toMatchObject({ ...rest, name: 'new', allowed_redirect_uris: ['https://a.example/x'] });
    expect(await clientOf(world.deps, await item())).toMatchObject({ clientSecret: SECRET });
    expect(await patch({ provider_type: '', authorization_params: {} })).toMatchObject({
      ...{ provider_type: null, authorization_params: {}, name: 'new' },
    });
  });

  it('of where the secret goes takes the secret', async () => {
    await create();
    const elsewhere = { token_url: 'https://mallory.example/token' };
    const missing = { items: [expect.objectContaining({ loc: ['body', 'client_secret'], type: 'missing' })] };
    await expect(patch(elsewhere)).rejects.toMatchObject(missing);
    await expect(patch({ auth_url: 'https://mallory.example/auth' })).rejects.toMatchObject(missing);
    // The same addresses are no change.
    await patch({ ...idp, name: 'same' });
    await patch({ ...elsewhere, client_secret: 'another' });
    expect(await clientOf(world.deps, await item())).toMatchObject({
      ...{ tokenUrl: elsewhere.token_url, clientSecret: 'another' },
    });
  });

  it('to a client without a secret forgets the secret for good', async () => {
    await create();
    await patch({ token_endpoint_auth_method: 'none', token_url: 'https://mallory.example/token' });
    await patch({ token_endpoint_auth_method: 'client_secret_post' });
    expect(await clientOf(world.deps, await item())).not.toHaveProperty('clientSecret');
    await expect(patch({ uses_pkce: false })).rejects.toMatchObject({ items: [{ type: 'value_error' }] });
  });

  it('made at the same time as another one loses nothing of it', async () => {
    await create();
    await Promise.all([patch({ name: 'new' }), patch({ client_id: 'new' }), patch({ uses_pkce: false })]);
    expect(await getProvider(world.deps, of('idp'), world.caller)).toMatchObject({
      ...{ name: 'new', client_id: 'new', uses_pkce: false, code_challenge_method: null },
    });
    expect(await item()).toMatchObject({ version: 4 });
  });
});

describe('an address', () => {
  const refused = (loc: (string | number)[]) => ({ items: [expect.objectContaining({ loc })] });
  const strict = (): Deps => ({
    ...quiet(),
    settings: { ...world.deps.settings, addresses: { allowedHosts: ['idp.corp'], loopback: false } },
  });

  const inside = [
    'https://169.254.169.254/latest',
    'https://10.1.2.3/',
    'https://localhost/',
    'https://[::1]/',
    'https://127.0.0.1/',
    'http://idp.example/',
  ];

  it('inside, or without TLS, is not asked', async () => {
    await create({}, world, strict());
    // Without TLS this very machine alone is asked, where it may be asked at all.
    await expect(create({ auth_url: 'http://idp.example/' })).rejects.toMatchObject(
      refused(['body', 'auth_url']),
    );
    for (const url of inside) await expectRefused(url);
  });

  async function expectRefused(url: string) {
    for (const field of ['auth_url', 'token_url', 'mcp_server_url']) {
      await expect(create({ [field]: url }, world, strict())).rejects.toMatchObject(refused(['body', field]));
    }
    const discovering = { provider_id: 'm', name: 'm', mcp_server_url: url };
    const body = discoverProviderBody.parse(discovering);
    await expect(
      discoverProvider(strict(), { body, baseUrl: 'https://me' }, world.caller),
    ).rejects.toMatchObject(refused(['body', 'mcp_server_url']));
    await expect(patch({ token_url: url, client_secret: 's' }, 'idp', strict())).rejects.toMatchObject(
      refused(['body', 'token_url']),
    );
  }

  it('that people are sent back to is https, or of this very machine where that is allowed', async () => {
    const uris = (...allowed_redirect_uris: string[]) => ({ allowed_redirect_uris });
    const local = uris('https://inside.corp/back', 'http://127.0.0.1:8123/back');
    expect(await create(local)).toMatchObject(local);
    const at = refused(['body', 'allowed_redirect_uris', 1]);
    await expect(create({ provider_id: 'b', ...local }, world, strict())).rejects.toMatchObject(at);
    const outside = uris('https://a.example', 'http://a.example');
    await expect(create({ provider_id: 'b', ...outside })).rejects.toMatchObject(at);
  });
});

describe('at an MCP server', () => {
  const discover = (mcp_server_url: string, provider_id = 'tools') => {
    const body = discoverProviderBody.parse({ provider_id, name: 'tools', mcp_server_url });
    return discoverProvider(world.deps, { body, baseUrl: 'http://127.0.0.1:1' }, world.caller);
  };

  it('a client is registered, once', async () => {
    const server = await anOAuthProvider();
    expect(await discover(server.mcpServerUrl)).toMatchObject({
      ...{
        provider_id: 'tools',
        is_dynamic_client: true,
        uses_pkce: true,
        mcp_server_url: server.mcpServerUrl,
      },
      ...{ auth_url: server.authUrl, token_url: server.tokenUrl },
      allowed_redirect_uris: ['http://127.0.0.1:1/v2/auth/callback/tools'],
    });
    expect(await clientOf(world.deps, await item('tools'))).toMatchObject({
      ...{ resource: server.mcpServerUrl, issuer: server.url, clientSecret: expect.any(String) },
    });
    await expect(discover(server.mcpServerUrl)).rejects.toMatchObject({ status: 409 });
    expect(server.counts.registrations).toBe(1);
    server.faults.registration = 503;
    await expect(discover(server.mcpServerUrl, 'more')).rejects.toMatchObject({ status: 503 });
  });

  it('that leads nowhere, or inside, nothing is kept', async () => {
    const hostile = await aHostileProvider();
    const wrong = { items: [expect.objectContaining({ loc: ['body', 'mcp_server_url'] })] };
    await expect(discover(hostile.mcpServerUrl)).rejects.toMatchObject(wrong);
    const { url } = hostile;
    const registration = { code_challenge_methods_supported: ['S256'], registration_endpoint: `${url}/reg` };
    hostile.documents['/reg'] = { client_id: 'c', client_secret: 's' };
    const good = { authorization_endpoint: `${url}/auth`, token_endpoint: `${url}/token` };
    for (const bad of [
      { token_endpoint: 'http://10.0.0.1/token' },
      { token_endpoint: 'ftp://127.0.0.1/token' },
      { authorization_endpoint: 'javascript:alert(1)' },
    ]) {
      const metadata = { issuer: url, ...registration, ...good, ...bad };
      hostile.documents['/.well-known/oauth-authorization-server'] = metadata;
      await expect(discover(hostile.mcpServerUrl)).rejects.toMatchObject(wrong);
    }
    expect(await listProviders(world.deps, {}, world.caller)).toEqual([]);
  });
});
