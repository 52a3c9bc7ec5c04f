import type { Browser, Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { installed } from '../support/console/installed.ts';
import { openOAuthProvider, type TestProvider, testClients } from '../support/oauth/provider.ts';
import { placesThatShow } from '../support/programs/nowhere.ts';
import { api, type Program } from '../support/programs/program.ts';
import { until } from '../support/until.ts';

/** The installed program, a certified provider, and a browser as people have it. */
let program: Program;
let provider: TestProvider;
let browser: Browser;

afterAll(() => provider?.close());
installed(
  async (here) => {
    ({ program, browser } = here);
    provider = await openOAuthProvider({ redirectUris: ['idp', 'strict'].map(callbackUri) });
    await createProvider('idp', 'browser');
    await createProvider('strict', 'strict');
  },
  { SLIPWAY_LOG_LEVEL: 'debug' },
);

type Json = Record<string, string> & { scopes: string[] };

async function ask<T = Json>(method: string, path: string, body?: object, status = 200): Promise<T> {
  const answer = await api(program, method, path, body);
  expect([path, answer.status, answer.body]).toEqual([path, status, answer.body]);
  return answer.body as T; // the fields that each test reads are compared there
}

const callbackUri = (providerId: string): string => `${program.baseUrl}/v2/auth/callback/${providerId}`;

async function createProvider(provider_id: string, user_binding: string): Promise<void> {
  const { client_id, client_secret } = testClients.post;
  const addresses = { auth_url: provider.authUrl, token_url: provider.tokenUrl };
  const body = { provider_id, name: `The ${provider_id}`, client_id, client_secret, user_binding };
  await ask('POST', '/v2/auth/providers', { ...body, ...addresses });
}

const authenticate = (more: object = {}): Promise<Json> =>
  ask('POST', '/v2/auth/authenticate', { provider: 'idp', scopes: ['read'], ...more });

/**
 * A person's own browser: nothing of another one's. What its pages ask of other hosts than ours and the
 * provider's is told.
 */
async function person(): Promise<{ page: Page; strays: string[]; problems: string[] }> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const [strays, problems]: [string[], string[]] = [[], []];
  const known = [program.baseUrl, provider.url].map((url) => new URL(url).port);
  page.on('request', (request) => {
    if (!known.includes(new URL(request.url()).port)) strays.push(request.url());
  });
  // What the policy of a page refuses is said in the console.
  page.on('console', (message) => {
    if (message.type() === 'error' && !/favicon|status of 40/.test(message.text()))
      problems.push(message.text());
  });
  return { page, strays, problems };
}

/** Goes on from our page, and allows what the provider asks. */
async function consent(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Continue to / }).click();
  await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
  await page.getByRole('button', { name: 'Allow' }).click();
}

it('authenticate, consent, connection, an access token that works, deletion, and a token that works no more', async () => {
  const { url = '', auth_id, status } = await authenticate({ user_id: 'mary' });
  expect(status).toBe('pending');
  const waiting = ask('GET', `/v2/auth/wait/${auth_id}?timeout=240`);
  const { page, strays, problems } = await person();
  await page.goto(url);
  expect(await page.title()).toBe('Connect The idp');
  expect(await page.getByText('mary').isVisible()).toBe(true);
  await consent(page);
  await page.getByRole('heading', { name: 'The idp is connected' }).waitFor();
  const { status: reached, token = '' } = await waiting;
  expect([reached, await provider.accepts(token)]).toEqual(['completed', true]);

  const [stored] = await ask<Json[]>('GET', '/v2/auth/tokens?provider_id=idp');
  const body = { oauth_token_id: stored?.id };
  const path = '/v2/auth/agents/support/connections';
  const { id } = await ask('POST', path, body, 201);
  const { access_token: agentsToken = '' } = await ask('POST', `${path}/${id}/token`);
  expect(await provider.accepts(agentsToken)).toBe(true);

  const deleted = await ask('DELETE', '/v2/auth/tokens?provider_id=idp');
  expect(deleted).toMatchObject({ provider_id: 'idp', message: expect.any(String) });
  expect(await ask('GET', path)).toMatchObject({ data: [] });
  await ask('POST', `${path}/${id}/token`, undefined, 404);
  // A provider that does not answer within seconds is told again by the schedule.
  for (const one of [agentsToken, token])
    await until(async () => !(await provider.accepts(one)), { what: 'the token to work no more' });
  expect([strays, problems]).toEqual([[], []]);
});

it('a second browser is refused, and the first one’s request goes on', async () => {
  const { url = '', auth_id } = await authenticate({ user_id: 'jack' });
  const [first, second] = [await person(), await person()];
  await second.page.goto(url);
  await first.page.goto(url);
  await first.page.getByRole('button', { name: /^Continue to / }).click();
  await first.page.getByRole('heading', { name: 'Allow access?' }).waitFor();
  await second.page.getByRole('button', { name: /^Continue to / }).click();
  await second.page.getByRole('heading', { name: 'This request was started in another browser' }).waitFor();
  expect((await second.page.goto(url))?.status()).toBe(403);
  await first.page.getByRole('button', { name: 'Allow' }).click();
  await first.page.getByRole('heading', { name: 'The idp is connected' }).waitFor();
  expect(await ask('GET', `/v2/auth/wait/${auth_id}`)).toMatchObject({ status: 'completed' });
});

it('with strict binding the consent counts when the user who began enters the code', async () => {
  const { url = '', auth_id } = await authenticate({ provider: 'strict' });
  const { page } = await person();
  await page.goto(url);
  await consent(page);
  await page.getByRole('heading', { name: 'Confirm the connection of The strict' }).waitFor();
  const confirmation_code = await page.locator('code').innerText();
  expect(await ask('GET', `/v2/auth/wait/${auth_id}?timeout=0`)).toEqual({ status: 'timeout' });
  await ask('POST', `/v2/auth/complete/${auth_id}`, { confirmation_code });
  expect(await ask('GET', `/v2/auth/wait/${auth_id}`)).toMatchObject({ status: 'completed' });
});

it('a page of ours shows nothing in a frame of another one', async () => {
  const { url = '' } = await authenticate({ user_id: 'framed' });
  const { page } = await person();
  await page.goto(`${provider.url}/.well-known/openid-configuration`);
  await page.setContent(`<iframe src="${url}"></iframe>`);
  const [, frame] = page.frames();
  await frame?.waitForURL(/^chrome-error:/);
  expect(await frame?.locator('body').innerText()).not.toContain('Continue to');
});

it('who says no is told so, and so is who waits', async () => {
  const { url = '', auth_id } = await authenticate({ user_id: 'no' });
  const { page } = await person();
  await page.goto(url);
  await page.getByRole('button', { name: /^Continue to / }).click();
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByRole('heading', { name: 'The idp was not connected' }).waitFor();
  expect(await ask('GET', `/v2/auth/wait/${auth_id}`)).toEqual({
    status: 'not_found',
    error: 'denied',
  });
});

it('nothing that was granted, and no client secret, is to be read anywhere', async () => {
  expect(provider.issued.length).toBeGreaterThan(5);
  expect(await placesThatShow(program, [...provider.issued, testClients.post.client_secret])).toEqual([]);
});
