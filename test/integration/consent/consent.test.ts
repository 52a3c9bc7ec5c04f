import { expect, it } from 'vitest';
import { findAuthRequest } from '../../../lib/features/consent/store.ts';
import { Browser } from '../../support/oauth/browser.ts';
import { aConsentWorld, type ConsentWorld, OTHER_ID } from '../../support/oauth/consent-world.ts';
import { lonelyTransactions } from '../../support/table/writes.ts';

/** The token that a completed request came to. */
async function grantedBy({ deps, tenantId }: ConsentWorld, authId: string): Promise<string> {
  const found = await findAuthRequest(deps.table, tenantId, authId);
  return found?.stage === 'completed' ? found.granted_token_id : 'not completed';
}

it('a person consents once, and from then on the stored token answers', async () => {
  const world = await aConsentWorld();
  const asked = await world.authenticate({ user_id: 'u-1' });
  expect(asked).toEqual({
    status: 'pending',
    url: expect.stringContaining(`${world.base}/v2/auth/begin/`),
    auth_id: expect.any(String),
    user_id: 'u-1',
  });
  expect(asked.url).not.toContain(asked.auth_id);
  expect(await world.wait(asked.auth_id)).toEqual({ status: 'timeout' });
  const waiting = world.wait(asked.auth_id, 20);
  const page = await world.walk(asked.url);
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('The Provider is connected')]);
  const { status, token, user_id } = await waiting;
  expect([status, user_id]).toEqual(['completed', 'u-1']);
  expect(await world.provider.accepts(token)).toBe(true);
  expect(await world.wait(asked.auth_id)).toMatchObject({ status: 'completed', token });
  expect(await world.authenticate({ user_id: 'u-1' })).toEqual({
    status: 'completed',
    url: null,
    auth_id: null,
    token,
    user_id: 'u-1',
  });
  expect(await world.authenticate({ ls_user_id: 'u-1', scopes: [] })).toMatchObject({ status: 'completed' });
});

it('a request needs one transaction, which takes its state: only one of several callbacks may', async () => {
  const world = await aConsentWorld({ user_binding: 'strict' });
  const lonely = lonelyTransactions(world.deps.table.client);
  const { url } = await world.authenticate();
  await world.walk(url);
  expect(lonely).toEqual([expect.stringContaining('"exchanging"')]);
});

it('another person, agent, scope or user of the tenant, and whoever wants a new one, is asked', async () => {
  const world = await aConsentWorld();
  const { url } = await world.authenticate({ user_id: 'u-1' });
  await world.walk(url);
  const answers = await Promise.all([
    world.authenticate({ user_id: 'u-2' }),
    world.authenticate(),
    world.authenticate({ user_id: 'u-1', scopes: ['read', 'write'] }),
    world.authenticate({ user_id: 'u-1', force_new: true }),
    world.authenticate({ user_id: 'u-1' }, world.otherKey),
    world.authenticate({ user_id: 'u-1', agent_id: 'a-1' }),
  ]);
  const pending = Array<string>(5).fill('pending');
  expect(answers.map(({ status }) => status)).toEqual([...pending, 'connection_required']);
  for (const answer of answers)
    expect([answer.url, answer.auth_id]).toEqual(Array(2).fill(expect.any(String)));
});

it('whoever wants a new consent is asked, though the stored one is over and its provider answers nobody', async () => {
  const world = await aConsentWorld();
  await world.walk((await world.authenticate()).url);
  world.advance(2 * 3600);
  world.provider.faults.token = 500;
  const asked = world.provider.asked.token;
  expect(await world.authenticate({ force_new: true })).toMatchObject({ status: 'pending' });
  expect(world.provider.asked.token).toBe(asked);
});

it('an agent is given what it is connected to, of the same person', async () => {
  const world = await aConsentWorld();
  const { url, auth_id } = await world.authenticate({ user_id: 'u-1' });
  await world.walk(url);
  const asAgent = (user_id: string) => world.authenticate({ user_id, agent_id: 'a-1' });
  expect((await asAgent('u-1')).status).toBe('connection_required');
  const oauth_token_id = await grantedBy(world, auth_id);
  expect((await world.post('/v2/auth/agents/a-1/connections', { oauth_token_id })).status).toBe(201);
  expect(await asAgent('u-1')).toMatchObject({ status: 'completed', user_id: 'u-1', url: null });
  expect((await asAgent('u-2')).status).toBe('pending');
});

it('a new consent takes the place of the grant that was named, and of no other', async () => {
  const world = await aConsentWorld();
  const [first, other] = [await world.authenticate(), await world.authenticate({ user_id: 'other' })];
  for (const { url } of [first, other]) await world.walk(url);
  const token_id = await grantedBy(world, first.auth_id);
  const before = (await world.authenticate({ token_id })).token;
  const again = await world.authenticate({ token_id, force_new: true, scopes: ['read', 'write'] });
  await world.walk(again.url);
  expect(await grantedBy(world, again.auth_id)).toBe(token_id);
  const { token } = await world.authenticate({ token_id, scopes: ['read', 'write'] });
  expect([token === before, await world.provider.accepts(token)]).toEqual([false, true]);
  expect(await grantedBy(world, other.auth_id)).not.toBe(token_id);
});

it('a grant that the provider takes no more is asked for again, and keeps its place', async () => {
  const world = await aConsentWorld();
  world.provider.accessTokenSeconds = 60;
  await world.walk((await world.authenticate()).url);
  await world.provider.revokeGrants();
  world.advance(61);
  const asked = await world.authenticate();
  expect(asked).toMatchObject({ status: 'token_expired', url: expect.any(String) });
  await world.walk(asked.url);
  const { status, token } = await world.authenticate();
  expect([status, await world.provider.accepts(token)]).toEqual(['completed', true]);
});

it('what a provider or a redirect URI is not is refused', async () => {
  const world = await aConsentWorld();
  const bad = await world.post('/v2/auth/authenticate', { provider: 'nobody', scopes: [] });
  expect([bad.status, bad.json.detail]).toEqual([404, "OAuth provider 'nobody' not found."]);
  const wish = { provider: 'p', scopes: ['read'] };
  for (const redirect_uri of ['https://evil.example/', `${world.base}/v2/auth/callback/p?x=1`, 'x']) {
    const { status, json } = await world.post('/v2/auth/authenticate', { ...wish, redirect_uri });
    expect([status, json.detail]).toEqual([
      422,
      [expect.objectContaining({ loc: ['body', 'redirect_uri'] })],
    ]);
  }
  const stolen = await world.post('/v2/auth/authenticate', {
    ...wish,
    token_id: world.deps.clock.orderedId(),
  });
  expect(stolen.status).toBe(404);
  const malformed = await world.post('/v2/auth/authenticate', { scopes: ['a b', ''] });
  expect([malformed.status, malformed.json.detail]).toEqual([
    422,
    [
      expect.objectContaining({ loc: ['body', 'provider'], type: 'missing' }),
      expect.objectContaining({ loc: ['body', 'scopes', 0] }),
      expect.objectContaining({ loc: ['body', 'scopes', 1] }),
    ],
  ]);
});

it('a person who says no ends the request, and who waits hears it at once', async () => {
  const world = await aConsentWorld();
  const { url, auth_id } = await world.authenticate();
  const waiting = world.wait(auth_id, 20);
  const page = await world.walk(url, new Browser(), { deny: true });
  expect(page.text).toContain('The Provider was not connected');
  expect(await waiting).toEqual({ status: 'not_found', error: 'denied' });
  expect(page.text).toContain('Access was denied there.');
});

it('a provider that fails or hangs at the exchange ends the request with a word that says so', async () => {
  const world = await aConsentWorld();
  const { url, auth_id } = await world.authenticate();
  world.provider.faults.token = 500;
  const page = await world.walk(url);
  expect(page.text).toContain('was not connected');
  expect(await world.wait(auth_id)).toEqual({ status: 'not_found', error: 'provider_unavailable' });
});

it('a front end of one’s own hands over the code with the credential of who began', async () => {
  const world = await aConsentWorld();
  const redirect_uri = 'https://front.example/back';
  const { url, auth_id } = await world.authenticate({ redirect_uri });
  const back = new URL(await world.consent(url));
  expect(back.href).toMatch(/^https:\/\/front\.example\/back\?/);
  const body = Object.fromEntries(back.searchParams);
  const stranger = await world.post('/v2/auth/callback/p', body, world.otherKey);
  expect([stranger.status, stranger.json.detail]).toEqual([400, expect.stringContaining("'state'")]);
  // Nor does it count at the address for browsers, which was not what the provider was told.
  const browser = new Browser();
  expect((await browser.open(`${world.base}/v2/auth/callback/p${back.search}`)).status).toBe(410);
  const done = await world.post('/host-oauth-callback/p', body);
  expect([done.status, done.json]).toEqual([200, { status: 'completed', auth_id }]);
  expect(await world.wait(auth_id)).toMatchObject({ status: 'completed' });
  expect((await world.post('/v2/auth/callback/p', body)).status).toBe(400);
});

it('waiting is for who asked: to everybody else there is nothing', async () => {
  const world = await aConsentWorld();
  const { auth_id, url } = await world.authenticate();
  expect(await world.wait(auth_id, 20, world.otherKey)).toEqual({ status: 'not_found' });
  expect(await world.wait(world.deps.clock.orderedId(), 20)).toEqual({ status: 'not_found' });
  await world.walk(url);
  expect(await world.wait(auth_id, 20, world.otherKey)).toEqual({ status: 'not_found' });
});

it('an address lives for ten minutes, and ten more once it was begun', async () => {
  const world = await aConsentWorld();
  const [left, begun] = [await world.authenticate(), await world.authenticate()];
  const browser = new Browser();
  world.advance(590);
  const callback = await world.consent(begun.url, browser);
  world.advance(590);
  expect((await new Browser().open(left.url)).status).toBe(410);
  expect(await world.wait(left.auth_id, 20)).toEqual({ status: 'not_found', error: 'expired' });
  expect((await browser.open(callback)).status).toBe(200);
  const late = await world.authenticate({ user_id: 'late' });
  const lateCallback = await world.consent(late.url, browser);
  world.advance(601);
  expect((await browser.open(lateCallback)).status).toBe(410);
});

it.each([OTHER_ID, OTHER_ID.toUpperCase()])(
  'a provider is named by its id too: by who asks, by the way back, and by who hands over a code: %s',
  async (id) => {
    const world = await aConsentWorld({ id: OTHER_ID });
    const front = 'https://front.example/back';
    const way = `${world.base}/v2/auth/callback/${id}`;
    await world.keepProvider({ id: OTHER_ID, allowed_redirect_uris: [way, front] });
    const { url, auth_id } = await world.authenticate({ provider: id, redirect_uri: way });
    expect((await world.walk(url)).status).toBe(200);
    expect(await grantedBy(world, auth_id)).toMatch(/^[0-9a-f-]{36}$/);
    const another = await world.authenticate({ provider: id, force_new: true, redirect_uri: front });
    const { searchParams } = new URL(await world.consent(another.url));
    const handed = await world.post(`/v2/auth/callback/${id}`, Object.fromEntries(searchParams));
    expect([handed.status, handed.json.status]).toEqual([200, 'completed']);
    expect(await world.authenticate({ provider: 'p' })).toMatchObject({ status: 'completed' });
  },
);
