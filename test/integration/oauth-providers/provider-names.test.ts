import { describe, expect, it } from 'vitest';
import { authenticate } from '../../../lib/features/consent/authenticate.ts';
import { callback } from '../../../lib/features/consent/callback.ts';
import { createProvider } from '../../../lib/features/oauth-providers/create.ts';
import { deleteProvider } from '../../../lib/features/oauth-providers/delete.ts';
import { getProvider } from '../../../lib/features/oauth-providers/get.ts';
import { patchProvider } from '../../../lib/features/oauth-providers/patch.ts';
import { createProviderBody } from '../../../lib/features/oauth-providers/shape.ts';
import { deleteTokens } from '../../../lib/features/oauth-tokens/delete-all.ts';
import { tokenExists } from '../../../lib/features/oauth-tokens/exists.ts';
import { importToken } from '../../../lib/features/oauth-tokens/import.ts';
import { listTokens } from '../../../lib/features/oauth-tokens/list.ts';
import { scriptedDiscovery } from '../../support/oauth/scripted.ts';
import { refusedWith } from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

type Asking = { world: World; name: string };
const params = (name: string) => ({ params: { provider_id: name } });
const query = (name: string) => ({ query: { provider_id: name } });

/** Everything that takes a provider, but for its creation. */
const requests: Record<string, (asking: Asking) => Promise<unknown>> = {
  show: ({ world, name }) => getProvider(world.deps, params(name), world.caller),
  change: ({ world, name }) => patchProvider(world.deps, { ...params(name), body: {} }, world.caller),
  authenticate: ({ world, name }) =>
    authenticate(
      world.deps,
      {
        body: { provider: name, scopes: ['s'], user_id: undefined, agent_id: undefined },
        baseUrl: 'http://localhost',
      },
      world.caller,
    ),
  import: ({ world, name }) =>
    importToken(world.deps, { body: { provider_id: name, access_token: 'x' } }, world.caller),
  list: ({ world, name }) => listTokens(world.deps, query(name), world.caller),
  exists: ({ world, name }) => tokenExists(world.deps, query(name), world.caller),
  deleteTokens: ({ world, name }) => deleteTokens(world.deps, query(name), world.caller),
  delete: ({ world, name }) => deleteProvider(world.deps, params(name), world.caller),
};

const create = async (world: World, provider_id: string) => {
  const usual = { name: 'ours', client_id: 'me', client_secret: 'a-secret' };
  const idp = { auth_url: 'https://idp.example/auth', token_url: 'https://idp.example/token' };
  const body = createProviderBody.parse({ provider_id, ...usual, ...idp });
  return createProvider({ ...world.deps, oauthDiscovery: scriptedDiscovery }, { body }, world.caller);
};

const tokensOf = async (world: World, name: string) =>
  (await listTokens(world.deps, query(name), world.caller)).map(({ id }) => id);
const bring = async (world: World, provider_id: string, agent_id: string) =>
  (await importToken(world.deps, { body: { provider_id, agent_id, access_token: 'x' } }, world.caller)).id;

describe.each(Object.entries(requests))('a provider that a request names: %s', (_, request) => {
  it('is the one of this provider_id or this id', async () => {
    const world = await aWorld();
    const made = await create(world, 'gh');
    const other = await create(world, 'another');
    expect(await request({ world, name: 'gh' })).toBeDefined();
    expect(await request({ world, name: other.id })).toBeDefined();
    const third = await create(world, 'third');
    expect(await request({ world, name: third.id.toUpperCase() })).toBeDefined();
    expect(made.id).not.toBe(other.id);
  });

  it('is 404 by its name where there is none, however much a name is like another one', async () => {
    const world = await aWorld();
    const { id } = await create(world, 'gh');
    await bring(world, 'gh', 'a');
    for (const name of ['GH', 'gh#', 'g', 'ghx', 'none', '😀', 'x'.repeat(5000), world.caller.userId])
      expect(await refusedWith(request({ world, name }))).toBe(`404 OAuth provider '${name}' not found.`);
    const elsewhere = world.as({ organizationId: world.deps.clock.randomId(), userId: 'somebody else' });
    expect(await refusedWith(request({ world: elsewhere, name: id }))).toBe(
      `404 OAuth provider '${id}' not found.`,
    );
    expect(await tokensOf(world, 'gh')).toHaveLength(1);
  });
});

describe('tokens of a provider', () => {
  it('go when it is named by its id, and no others do', async () => {
    const world = await aWorld();
    const { id } = await create(world, 'gh');
    await create(world, 'GH');
    for (const name of ['gh', 'GH']) for (const agent of ['a', 'b']) await bring(world, name, agent);
    expect(await requests.deleteTokens?.({ world, name: id })).toEqual({
      message: "Deleted 2 tokens of OAuth provider 'gh'.",
      provider_id: 'gh',
      deleted: 2,
    });
    expect([await tokensOf(world, 'gh'), await tokensOf(world, 'GH')]).toEqual([
      [],
      [expect.any(String), expect.any(String)],
    ]);
  });

  it('are still found when it is gone, by both of its names, until they are deleted', async () => {
    const world = await aWorld();
    type Made = { id: string };
    const names = [({ id }: Made) => id, ({ id }: Made) => id.toUpperCase(), () => 'gh'];
    for (const nameOf of names) {
      const made = await create(world, 'gh');
      const name = nameOf(made);
      const brought = await bring(world, 'gh', 'a');
      await deleteProvider(world.deps, params('gh'), world.caller);
      expect(await tokensOf(world, name)).toEqual([brought]);
      expect(await requests.exists?.({ world, name })).toEqual({ has_token: true });
      expect(await requests.deleteTokens?.({ world, name })).toMatchObject({ provider_id: 'gh', deleted: 1 });
      expect(await refusedWith(tokensOf(world, name))).toBe(`404 OAuth provider '${name}' not found.`);
    }
  });
});

it('a new provider takes no name that means another one', async () => {
  const world = await aWorld();
  const { id } = await create(world, 'gh');
  for (const name of ['gh', id, id.toUpperCase()])
    expect(await refusedWith(create(world, name))).toBe(`409 OAuth provider '${name}' already exists.`);
});

it('a code is handed over for the provider that its request was for', async () => {
  const world = await aWorld();
  const body = { state: 'none', code: 'none' };
  const refusal = (name: string) =>
    refusedWith(callback(world.deps, { ...params(name), body }, world.caller));
  const { id } = await create(world, 'gh');
  expect(await refusal('none')).toBe("404 OAuth provider 'none' not found.");
  for (const name of ['gh', id, id.toUpperCase()])
    expect(await refusal(name)).toMatch(/^400 'state' is unknown/);
});
