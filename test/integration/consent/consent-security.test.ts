import { expect, it, onTestFinished, vi } from 'vitest';
import { openText } from '../../../lib/features/consent/sealed.ts';
import { readTicket } from '../../../lib/features/consent/secrets.ts';
import { findAuthRequest } from '../../../lib/features/consent/store.ts';
import { Browser, formOf } from '../../support/oauth/browser.ts';
import { aConsentWorld, type ConsentWorld } from '../../support/oauth/consent-world.ts';
import { aHostileProvider } from '../../support/oauth/hostile.ts';
import { allItems } from '../../support/world/world.ts';

const stageOf = async ({ deps, tenantId }: ConsentWorld, authId: string): Promise<string | undefined> =>
  (await findAuthRequest(deps.table, tenantId, authId))?.stage;

const tokensIn = async ({ deps }: ConsentWorld) =>
  (await allItems(deps.table)).filter(({ entity }) => entity === 'oauth_token');

const statusesOf = (answers: { status: number }[]): number[] =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);

it('the address is refused in a second browser, which leaves the first one’s request as it is', async () => {
  const world = await aConsentWorld();
  const { url, auth_id } = await world.authenticate();
  const [first, second] = [new Browser(), new Browser()];
  await second.open(url);
  const secondForm = formOf(second.page);
  const callback = await world.consent(url, first);
  const before = await allItems(world.deps.table);
  const refusals = [
    await second.open(url, { form: secondForm }),
    await second.open(url),
    await second.open(callback),
  ];
  for (const { status, text, location } of refusals)
    expect([status, text, location]).toEqual([403, expect.stringContaining('another browser'), undefined]);
  expect(await allItems(world.deps.table)).toEqual(before);
  expect((await first.open(callback)).status).toBe(200);
  expect(await world.wait(auth_id)).toMatchObject({ status: 'completed' });
});

it('of browsers that begin at the same moment one goes on', async () => {
  const world = await aConsentWorld();
  const { url } = await world.authenticate();
  const browsers = Array.from({ length: 4 }, () => new Browser());
  await Promise.all(browsers.map((browser) => browser.open(url)));
  const seen = await Promise.all(browsers.map((browser) => browser.press()));
  expect(statusesOf(seen)).toEqual([303, 403, 403, 403]);
});

it('the browser that began may go back and begin again; only its last state counts', async () => {
  const world = await aConsentWorld();
  const { url, auth_id } = await world.authenticate();
  const browser = new Browser();
  const [old, current] = [await world.consent(url, browser), await world.consent(url, browser)];
  expect((await browser.open(old)).status).toBe(410);
  expect((await browser.open(current)).status).toBe(200);
  expect(await world.wait(auth_id)).toMatchObject({ status: 'completed' });
});

it('opening the page changes nothing, and neither does a form that is not from it', async () => {
  const world = await aConsentWorld();
  const [asked, another] = [await world.authenticate(), await world.authenticate()];
  const before = await allItems(world.deps.table);
  const browser = new Browser();
  await browser.open(another.url);
  const otherForm = formOf(browser.page);
  expect((await browser.open(asked.url)).status).toBe(200);
  expect(browser.cookieHeader()).toBe('');
  const form = formOf(browser.page);
  const wrong = [
    { form: new URLSearchParams() },
    { form: otherForm },
    { form: new URLSearchParams({ form_token: 'x'.repeat(43) }) },
    { form, headers: { 'sec-fetch-site': 'cross-site' } },
    { form, headers: { 'sec-fetch-site': 'none' } },
    { form, headers: { 'content-type': 'text/plain' } },
  ];
  for (const init of wrong) expect((await browser.open(asked.url, init)).status).toBe(403);
  const secret = asked.url.split('/').at(-1) ?? '';
  const otherEnd = `${secret.slice(0, -2)}${secret.endsWith('AA') ? 'BA' : 'AA'}`;
  for (const nonce of [secret.slice(1), otherEnd, `${secret}=`, 'x', '%00', '..%2f'])
    expect((await browser.open(`${world.base}/v2/auth/begin/${nonce}`)).status).toBe(410);
  expect(await allItems(world.deps.table)).toEqual(before);
});

it('a state counts once, however often and however many at once bring it', async () => {
  const world = await aConsentWorld();
  const browser = new Browser();
  const callback = await world.consent((await world.authenticate()).url, browser);
  // Copies of the browser: each sends the cookie.
  const headers = { cookie: browser.cookieHeader() };
  const seen = await Promise.all(Array.from({ length: 4 }, () => new Browser().open(callback, { headers })));
  expect(statusesOf(seen)).toEqual([200, 410, 410, 410]);
  expect((await new Browser().open(callback, { headers })).status).toBe(410);
  expect(world.provider.asked.token).toBe(1);
});

it('a state belongs to one request, one provider and one way back', async () => {
  const world = await aConsentWorld();
  await world.keepProvider({ provider_id: 'q' });
  const { url, auth_id } = await world.authenticate();
  const browser = new Browser();
  const callback = new URL(await world.consent(url, browser));
  const { state = '', code = '' } = Object.fromEntries(callback.searchParams);
  const own = readTicket(state);
  const foreign = Buffer.from(state, 'base64url');
  foreign[0] = (foreign[0] ?? 0) ^ 1;
  const path = `${world.base}/v2/auth/callback/p`;
  const wrong = [
    `${world.base}/v2/auth/callback/q${callback.search}`,
    `${world.base}/host-oauth-callback/p${callback.search}`,
    `${callback.href}&state=${state}`,
    `${path}?code=${code}&state=${url.split('/').at(-1)}`,
    `${path}?code=${code}&state=${foreign.toString('base64url')}`,
    `${path}?code=${code}`,
    `${world.base}/v2/auth/callback/a%2Fb${callback.search}`,
    path,
  ];
  for (const address of wrong)
    expect([address, (await browser.open(address)).status]).toEqual([address, 410]);
  expect(await stageOf(world, auth_id)).toBe('consenting');
  expect([own?.authId, world.provider.asked.token]).toEqual([auth_id, undefined]);
  expect((await browser.open(callback.href)).status).toBe(200);
});

it('another person’s code, put into one’s own request, gives nothing', async () => {
  const world = await aConsentWorld();
  const victim = new URL(await world.consent((await world.authenticate({ user_id: 'victim' })).url));
  const { url, auth_id } = await world.authenticate({ user_id: 'attacker' });
  const attacker = new Browser();
  const own = new URL(await world.consent(url, attacker));
  own.searchParams.set('code', victim.searchParams.get('code') ?? '');
  expect((await attacker.open(own.href)).text).toContain('was not connected');
  expect(await world.wait(auth_id)).toEqual({ status: 'not_found', error: 'invalid_grant' });
  expect(await tokensIn(world)).toEqual([]);
});

it('an answer of another authorization server is believed by nobody, and its code sent nowhere', async () => {
  const world = await aConsentWorld();
  const hostile = await aHostileProvider();
  const addresses = { auth_url: hostile.authUrl, token_url: hostile.tokenUrl };
  const allowed_redirect_uris = [`${world.base}/v2/auth/callback/evil`];
  const names = { provider_id: 'evil', issuer: hostile.url, allowed_redirect_uris };
  await world.keepProvider({ ...addresses, ...names });
  const honest = world.provider.url;
  for (const iss of [honest, undefined, `${hostile.url}/`]) {
    const { url, auth_id } = await world.authenticate({ provider: 'evil' });
    const browser = new Browser();
    await browser.open(url);
    const { location = '' } = await browser.press();
    const back = hostile.response(location, { iss, code: 'a-code-of-the-honest-one' });
    expect((await browser.open(back.href)).text).toContain('was not connected');
    expect(await stageOf(world, auth_id)).toBe('ended');
  }
  expect(hostile.received).toEqual([]);
  expect(await tokensIn(world)).toEqual([]);
});

it('a provider that takes codes elsewhere since then is sent none', async () => {
  const world = await aConsentWorld();
  const { url } = await world.authenticate();
  const browser = new Browser();
  const callback = await world.consent(url, browser);
  const hostile = await aHostileProvider();
  await world.keepProvider({ token_url: hostile.tokenUrl });
  expect((await browser.open(callback)).status).toBe(410);
  expect(hostile.received).toEqual([]);
});

it('with strict binding a consent becomes a token only by the user who began', async () => {
  const world = await aConsentWorld({ user_binding: 'strict' });
  const { url, auth_id } = await world.authenticate();
  const page = await world.walk(url);
  const [, code = ''] = /<code>([0-9A-F-]{39})<\/code>/.exec(page.text) ?? [];
  expect(await tokensIn(world)).toEqual([]);
  expect(await world.wait(auth_id)).toEqual({ status: 'timeout' });
  const complete = (confirmation_code: string, key = world.key) =>
    world.post(`/v2/auth/complete/${auth_id}`, { confirmation_code }, key);
  expect((await complete(code, world.otherKey)).status).toBe(404);
  const wrong = await complete('0000-0000');
  expect([wrong.status, wrong.json.detail]).toEqual([400, expect.stringContaining('attempts left: 4')]);
  expect((await complete(code.toLowerCase().replaceAll('-', ' '))).json).toEqual({
    status: 'completed',
    auth_id,
  });
  const { token } = await world.wait(auth_id);
  expect(await world.provider.accepts(token)).toBe(true);
  expect((await complete(code)).status).toBe(409);
});

it('somebody else’s consent never becomes a token with strict binding: guessing ends it', async () => {
  const world = await aConsentWorld({ user_binding: 'strict' });
  const { url, auth_id } = await world.authenticate();
  // The person to whom the address was sent consents, and tells nobody what their page shows.
  const { text } = await world.walk(url, new Browser(), { accountId: 'victim' });
  const [, code = ''] = /<code>([0-9A-F-]{39})<\/code>/.exec(text) ?? [];
  const guesses = await Promise.all(
    Array.from({ length: 8 }, (_, guess) =>
      world.post(`/v2/auth/complete/${auth_id}`, { confirmation_code: `${guess}` }),
    ),
  );
  const statuses = statusesOf(guesses);
  expect(statuses).toEqual([...Array<number>(5).fill(400), ...Array<number>(3).fill(409)]);
  const late = await world.post(`/v2/auth/complete/${auth_id}`, { confirmation_code: code });
  expect(late.status).toBe(409);
  expect(await world.wait(auth_id)).toEqual({ status: 'not_found', error: 'confirmation_failed' });
  expect(await tokensIn(world)).toEqual([]);
});

it('pages escape what is claimed, load nothing, and are kept, framed and told on by nobody', async () => {
  const world = await aConsentWorld();
  const user_id = '"><script>alert(1)</script>';
  const { url } = await world.authenticate({ user_id, agent_id: 'a\u202Etnega' });
  const { text, headers } = await new Browser().open(url);
  expect(text).not.toMatch(/<script|\u202E|https?:\/\//);
  expect(text).toContain(String.raw`a\u202etnega`);
  expect(text).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(text).toContain('Acme &amp; Sons');
  expect(text).toMatch(/<html lang="en">[\s\S]*<title>Connect The Provider<\/title>[\s\S]*<h1>/);
  expect(Object.fromEntries(headers)).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringMatching(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' [^;]+; frame-ancestors 'none'; base-uri 'none'$/,
    ),
  });
});

it.each([
  [
    'http',
    'http://localhost:1',
    /^slipway-consent-[0-9a-f-]{36}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/,
  ],
  [
    'https',
    'https://a.example',
    /^__Host-slipway-consent-[0-9a-f-]{36}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=600$/,
  ],
])('the cookie is for one request, this host and no script, over %s', async (_, base, pattern) => {
  const world = await aConsentWorld();
  vi.stubEnv('SLIPWAY_BASE_URL', base);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { url, auth_id } = await world.authenticate();
  const browser = new Browser();
  await browser.open(url.replace(base, world.base));
  const { headers } = await browser.press();
  expect(headers.getSetCookie()).toEqual([expect.stringMatching(pattern)]);
  expect(headers.getSetCookie()[0]).toContain(auth_id);
});

it('what is kept tells no secret of a request, and opens for no other one', async () => {
  const world = await aConsentWorld({ user_binding: 'strict' });
  const { url, auth_id } = await world.authenticate();
  const browser = new Browser();
  const callback = new URL(await world.consent(url, browser));
  const { table } = world.deps;
  const begun = await findAuthRequest(table, world.tenantId, auth_id);
  const sealed = begun?.stage === 'consenting' ? (begun.sealed_verifier ?? '') : '';
  const verifier = await openText(world.deps, { tenant_id: world.tenantId, id: auth_id }, sealed);
  for (const other of [
    { tenant_id: auth_id, id: auth_id },
    { tenant_id: world.tenantId, id: world.tenantId },
  ])
    await expect(openText(world.deps, other, sealed)).rejects.toThrow('sealed');
  const during = JSON.stringify(await allItems(table));
  const { text } = await browser.open(callback.href);
  const [, code = ''] = /<code>([0-9A-F-]{39})<\/code>/.exec(text) ?? [];
  const waiting = JSON.stringify(await allItems(table));
  await world.post(`/v2/auth/complete/${auth_id}`, { confirmation_code: code });
  const { token } = await world.wait(auth_id);
  const after = JSON.stringify(await allItems(table));
  const state = callback.searchParams.get('state') ?? '';
  const secretPart = (ticket: string) => readTicket(ticket)?.secret.toString('base64url') ?? '';
  const [, cookie = ''] = browser.cookieHeader().split('=');
  const secrets = [
    ...[verifier, state, secretPart(state), secretPart(url.split('/').at(-1) ?? ''), cookie, token],
    ...[callback.searchParams.get('code') ?? '', code, code.replaceAll('-', '')],
  ].filter((secret) => secret !== '');
  expect(secrets.length).toBeGreaterThanOrEqual(8);
  for (const secret of secrets)
    for (const stored of [during, waiting, after]) expect(stored.includes(secret)).toBe(false);
});
