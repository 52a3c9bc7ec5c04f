import { describe, expect, it } from 'vitest';
import { authenticate } from '../../../lib/app/oauth/consent/authenticate.ts';
import { callback } from '../../../lib/app/oauth/consent/callback.ts';
import { createProvider } from '../../../lib/app/oauth/providers/create.ts';
import { deleteProvider } from '../../../lib/app/oauth/providers/delete.ts';
import { showProvider } from '../../../lib/app/oauth/providers/get.ts';
import { patchProvider } from '../../../lib/app/oauth/providers/patch.ts';
import { deleteTokens } from '../../../lib/app/oauth/tokens/delete-all.ts';
import { tokenExists } from '../../../lib/app/oauth/tokens/exists.ts';
import { importToken } from '../../../lib/app/oauth/tokens/import.ts';
import { listTokens } from '../../../lib/app/oauth/tokens/list.ts';
import { createProviderBody } from '../../../lib/contract/oauth-providers.ts';
import { scriptedDiscovery } from '../../support/oauth/scripted.ts';
import { refusedWith } from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

type Asking = { plane: World; name: string };
const params = (name: string) => ({ params: { provider_id: name } });
const query = (name: string) => ({ query: { provider_id: name } });

/** Everything that takes a provider, but for its creation. */
const requests: Record<string, (asking: Asking) => Promise<unknown>> = {
  show: ({ plane, name }) => showProvider(plane.deps, params(name), plane.caller),
  change: ({ plane, name }) => patchProvider(plane.deps, { ...params(name), body: {} }, plane.caller),
  authenticate: ({ plane, name }) =>
    authenticate(
      plane.deps,
      {
        body: { provider: name, scopes: ['s'], user_id: undefined, agent_id: undefined },
        baseUrl: 'http://localhost',
      },
      plane.caller,
    ),
  import: ({ plane, name }) =>
    importToken(plane.deps, { body: { provider_id: name, access_token: 'x' } }, plane.caller),
  list: ({ plane, name }) => listTokens(plane.deps, query(name), plane.caller),
  exists: ({ plane, name }) => tokenExists(plane.deps, query(name), plane.caller),
  deleteTokens: ({ plane, name }) => deleteTokens(plane.deps, query(name), plane.caller),
  delete: ({ plane, name }) => deleteProvider(plane.deps, params(name), plane.caller),
};

const create = async (plane: World, provider_id: string) => {
  const usual = { name: 'ours', client_id: 'me', client_secret: 'a-secret' };
  const idp = { auth_url: 'https://idp.example/auth', token_url: 'https://idp.example/token' };
  const body = createProviderBody.parse({ provider_id, ...usual, ...idp });
  return createProvider({ ...plane.deps, oauthDiscovery: scriptedDiscovery }, { body }, plane.caller);
};

const tokensOf = async (plane: World, name: string) =>
  (await listTokens(plane.deps, query(name), plane.caller)).map(({ id }) => id);
const bring = async (plane: World, provider_id: string, agent_id: string) =>
  (await importToken(plane.deps, { body: { provider_id, agent_id, access_token: 'x' } }, plane.caller)).id;

describe.each(Object.entries(requests))('a provider that a request names: %s', (_, request) => {
  it('is the one of this provider_id or this id', async () => {
    const plane = await aWorld();
    const made = await create(plane, 'gh');
    const other = await create(plane, 'another');
    expect(await request({ plane, name: 'gh' })).toBeDefined();
    expect(await request({ plane, name: other.id })).toBeDefined();
    const third = await create(plane, 'third');
    expect(await request({ plane, name: third.id.toUpperCase() })).toBeDefined();
    expect(made.id).not.toBe(other.id);
  });

  it('is 404 by its name where there is none, however much a name is like another one', async () => {
    const plane = await aWorld();
    const { id } = await create(plane, 'gh');
    await bring(plane, 'gh', 'a');
    for (const name of ['GH', 'gh#', 'g', 'ghx', 'none', '😀', 'x'.repeat(5000), plane.caller.userId])
      expect(await refusedWith(request({ plane, name }))).toBe(`404 OAuth provider '${name}' not found.`);
    const elsewhere = plane.as({ organizationId: plane.deps.clock.randomId(), userId: 'somebody else' });
    expect(await refusedWith(request({ plane: elsewhere, name: id }))).toBe(
      `404 OAuth provider '${id}' not found.`,
    );
    expect(await tokensOf(plane, 'gh')).toHaveLength(1);
  });
});

describe('tokens of a provider', () => {
  it('go when it is named by its id, and no others do', async () => {
    const plane = await aWorld();
    const { id } = await create(plane, 'gh');
    await create(plane, 'GH');
    for (const name of ['gh', 'GH']) for (const agent of ['a', 'b']) await bring(plane, name, agent);
    expect(await requests.deleteTokens?.({ plane, name: id })).toEqual({
      message: "Deleted 2 tokens of OAuth provider 'gh'.",
      provider_id: 'gh',
      deleted: 2,
    });
    expect([await tokensOf(plane, 'gh'), await tokensOf(plane, 'GH')]).toEqual([
      [],
      [expect.any(String), expect.any(String)],
    ]);
  });

  it('are still found when it is gone, by both of its names, until they are deleted', async () => {
    const plane = await aWorld();
    type Made = { id: string };
    const names = [({ id }: Made) => id, ({ id }: Made) => id.toUpperCase(), () => 'gh'];
    for (const nameOf of names) {
      const made = await create(plane, 'gh');
      const name = nameOf(made);
      const brought = await bring(plane, 'gh', 'a');
      await deleteProvider(plane.deps, params('gh'), plane.caller);
      expect(await tokensOf(plane, name)).toEqual([brought]);
      expect(await requests.exists?.({ plane, name })).toEqual({ has_token: true });
      expect(await requests.deleteTokens?.({ plane, name })).toMatchObject({ provider_id: 'gh', deleted: 1 });
      expect(await refusedWith(tokensOf(plane, name))).toBe(`404 OAuth provider '${name}' not found.`);
    }
  });
});

it('a new provider takes no name that means another one', async () => {
  const plane = await aWorld();
  const { id } = await create(plane, 'gh');
  for (const name of ['gh', id, id.toUpperCase()])
    expect(await refusedWith(create(plane, name))).toBe(`409 OAuth provider '${name}' already exists.`);
});

it('a code is handed over for the provider that its request was for', async () => {
  const plane = await aWorld();
  const body = { state: 'none', code: 'none' };
  const refusal = (name: string) =>
    refusedWith(callback(plane.deps, { ...params(name), body }, plane.caller));
  const { id } = await create(plane, 'gh');
  expect(await refusal('none')).toBe("404 OAuth provider 'none' not found.");
  for (const name of ['gh', id, id.toUpperCase()])
    expect(await refusal(name)).toMatch(/^400 'state' is unknown/);
});
