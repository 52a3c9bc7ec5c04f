import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { installed } from '../support/console/installed.ts';
import { aPerson, barriersInBothThemes, inOwnMenu, type Person } from '../support/console/person.ts';
import { onLoopback } from '../support/http/loopback-server.ts';
import { interact } from '../support/oauth/provider.ts';
import { expectApi, type Program } from '../support/programs/program.ts';
import { until } from '../support/until.ts';

/** Tokens are for this API; a resource is named by an address (RFC 8707). */
const API_AUDIENCE = 'https://slipway.example/api';
const CONSOLE_CLIENT = 'slipway-console';

/** An issuer where people sign in to the console (`oidc-provider`): a public client, PKCE required, JWTs. */
type SignInIssuer = {
  url: string;
  /** Whether refresh tokens are given from now on, and how long access tokens last. */
  gives: { refreshTokens: boolean; accessTokenSeconds: number };
  /** Every token that it has given. */
  issued: string[];
  counts: { refreshes: number; revocations: number };
  /** From now on people come back to this address. */
  open(redirectUri: string): Promise<void>;
  close(): Promise<void>;
};

async function aSignInIssuer(): Promise<SignInIssuer> {
  let answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) =>
    response.writeHead(503).end();
  const server = createServer((request, response) => answer(request, response));
  const { url, close } = await onLoopback(server);
  const issuer: SignInIssuer = {
    url,
    gives: { refreshTokens: false, accessTokenSeconds: 3600 },
    issued: [],
    counts: { refreshes: 0, revocations: 0 },
    async open(redirectUri) {
      const provider = await providerFor(issuer, redirectUri);
      const callback = provider.callback();
      answer = (request, response) => {
        const isInteraction = request.url?.startsWith('/interaction/') === true;
        void (isInteraction ? interact(provider, new Set(), request, response) : callback(request, response));
      };
    },
    close,
  };
  return issuer;
}

async function providerFor({ url, gives, issued, counts }: SignInIssuer, redirectUri: string) {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: 'one' };
  const quiet = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'info')];
  for (const spy of quiet) spy.mockImplementation(() => undefined);
  const provider = new Provider(url, {
    clients: [
      {
        client_id: CONSOLE_CLIENT,
        token_endpoint_auth_method: 'none',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        application_type: 'native',
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [jwk] },
    cookies: { keys: ['for tests only'] },
    scopes: ['openid', 'offline_access'],
    clientBasedCORS: () => true,
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async () => gives.refreshTokens,
    ttl: {
      AccessToken: () => gives.accessTokenSeconds,
      IdToken: 3600,
      Grant: 86_400,
      Interaction: 600,
      Session: 3600,
      RefreshToken: 86_400,
    },
    findAccount: async (_, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    features: {
      devInteractions: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: async (_, client, token) => token.clientId === client.clientId,
      },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: async () => ({
          scope: 'read write',
          audience: API_AUDIENCE,
          accessTokenFormat: 'jwt',
          accessTokenTTL: gives.accessTokenSeconds,
          jwt: { sign: { alg: 'ES256' } },
        }),
        useGrantedResource: async () => true,
      },
    },
  });
  for (const spy of quiet) spy.mockRestore();
  provider.on('grant.success', ({ oidc, body }) => {
    const { access_token, refresh_token, id_token } = body as Record<string, string | undefined>; // RFC 6749 §5.1
    issued.push(...[access_token, refresh_token, id_token].filter((token) => token !== undefined));
    if (oidc.params?.grant_type === 'refresh_token') counts.refreshes += 1;
  });
  provider.on('grant.revoked', () => {
    counts.revocations += 1;
  });
  return provider;
}

/** People who sign in at an issuer of bearer tokens, in a browser, with the installed program. */
let program: Program;
let browser: Browser;
const issuer = await aSignInIssuer();

afterAll(() => issuer.close());
installed(
  async (here) => {
    ({ program, browser } = here);
    await issuer.open(`${program.baseUrl}/console/`);
    await keysAreKnown();
    for (const name of ['one', 'two']) await here.unused(name);
    await expectApi(program, 'POST', '/v2/members', { user_id: 'alice', role: 'developer' }, 201);
  },
  {
    SLIPWAY_OIDC_ISSUER: issuer.url,
    SLIPWAY_OIDC_AUDIENCE: API_AUDIENCE,
    SLIPWAY_OIDC_CLIENT_ID: CONSOLE_CLIENT,
  },
);
beforeEach(() => {
  issuer.gives = Object.assign(issuer.gives, { refreshTokens: false, accessTokenSeconds: 3600 });
});

/**
 * Waits until a token is refused for its signature. The service gives the issuer two seconds to say its
 * keys, and after a failure asks again only half a minute later: a person's token would be over by then.
 */
async function keysAreKnown(): Promise<void> {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const forged = `${part({ alg: 'ES256', kid: 'one' })}.${part({ sub: 'alice' })}.${'A'.repeat(86)}`;
  const asked = () => fetch(`${program.baseUrl}/v2/me`, { headers: { authorization: `Bearer ${forged}` } });
  await until(async () => (await asked()).status === 401, { what: 'the keys of the issuer to be known' });
}

const button = (page: Page) => page.getByRole('button', { name: 'Sign in at' });

/** As the person does it at the issuer. */
async function signIn(page: Page, { account = 'alice', deny = false } = {}): Promise<void> {
  await button(page).click();
  await page.getByLabel('Account').fill(account);
  await page.getByRole('button', { name: deny ? 'Deny' : 'Allow' }).click();
}

/** Every text that outlives the page, or that others see of it. */
const kept = (page: Page): Promise<string> =>
  page.evaluate<string>(
    'JSON.stringify([{ ...sessionStorage }, { ...localStorage }, history.state, location.href, document.cookie])',
  );

async function expectNoToken({ page, seen, context }: Person): Promise<void> {
  expect(issuer.issued.length).toBeGreaterThan(0);
  const places = [await kept(page), ...seen.addresses].join('\n');
  for (const token of issuer.issued) expect(places.includes(token)).toBe(false);
  const own = (await context.cookies()).filter(({ domain, path }) => `${domain}${path}`.includes('console'));
  expect([own, seen.complaints]).toEqual([[], []]);
  expect(seen.cookies.filter((address) => address.startsWith(program.baseUrl))).toEqual([]);
}

it('signs in at the issuer, comes back to the same place, and again after the token is over', async () => {
  issuer.gives.accessTokenSeconds = 30;
  const person = await aPerson(browser);
  const { page } = person;
  await page.goto(`${program.baseUrl}/console/deployments?name=two`);
  await button(page).waitFor();
  expect(await barriersInBothThemes(page)).toEqual([]);
  await signIn(page);
  await page.getByRole('link', { name: 'two', exact: true }).waitFor();
  expect(page.url()).toBe(`${program.baseUrl}/console/deployments?name=two`);
  expect(await page.locator('.role').textContent()).toBe('Developer');
  // The service takes it for ten seconds longer, for clocks that differ.
  await until(
    async () => {
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      return page.getByText('Your session has ended').isVisible();
    },
    { what: 'the token to be over' },
  );
  issuer.gives.accessTokenSeconds = 3600;
  await signIn(page);
  await page.getByRole('link', { name: 'two', exact: true }).waitFor();
  expect(page.url()).toBe(`${program.baseUrl}/console/deployments?name=two`);
  await page.goBack();
  expect(page.url()).not.toContain('code=');
  await expectNoToken(person);
});

it('is signed in for as long as the issuer renews, in other tabs too, until they sign out', async () => {
  issuer.gives.refreshTokens = true;
  issuer.gives.accessTokenSeconds = 4;
  const person = await aPerson(browser);
  const { page, context } = person;
  const bearers = new Set<string>();
  context.on('request', (request) => {
    const { authorization } = request.headers();
    if (authorization !== undefined) bearers.add(authorization);
  });
  await page.goto(`${program.baseUrl}/console/`);
  await signIn(page);
  await page.getByRole('link', { name: 'one', exact: true }).waitFor();
  const second = await context.newPage();
  await second.goto(`${program.baseUrl}/console/deployments?name=one`);
  await second.getByRole('link', { name: 'one', exact: true }).waitFor();
  const before = issuer.counts.refreshes;
  // Longer than the first token is taken: four seconds, and ten of tolerance.
  await until(() => issuer.counts.refreshes - before >= 5, { what: 'five renewals' });
  for (const each of [page, second]) {
    await each.keyboard.press('/');
    await each.getByRole('searchbox').fill('two');
    await each.getByRole('link', { name: 'two', exact: true }).waitFor();
  }
  expect(bearers.size).toBeGreaterThan(1);
  await expectNoToken(person);
  await inOwnMenu(page, 'Sign out');
  for (const each of [page, second]) await each.getByLabel('API key').waitFor();
  await until(() => issuer.counts.revocations > 0, { what: 'the grant to be ended' });
  // Another person may be next: the issuer asks who it is.
  await signIn(page);
  await page.getByRole('link', { name: 'two', exact: true }).waitFor();
});

it('who is refused, or a stranger, is told so in words', async () => {
  const { page } = await aPerson(browser);
  await page.goto(`${program.baseUrl}/console/deployments?name=one`);
  await signIn(page, { deny: true });
  await page.getByText('was refused or given up').waitFor();
  expect(page.url()).toBe(`${program.baseUrl}/console/deployments?name=one`);
  await signIn(page, { account: 'mallory' });
  await page.getByText('The user is a member of no tenant').waitFor();
  expect(await page.getByRole('table').count()).toBe(0);
});

it('an answer that is not to this tab’s question signs nobody in', async () => {
  const { page } = await aPerson(browser);
  await page.goto(`${program.baseUrl}/console/?code=stolen&state=guessed`);
  await page.getByText('was not begun in this tab').waitFor();
  expect(page.url()).toBe(`${program.baseUrl}/console/`);
  // Begun here, but with another state.
  await button(page).click();
  await page.getByLabel('Account').waitFor();
  await page.goto(
    `${program.baseUrl}/console/?code=stolen&state=guessed&iss=${encodeURIComponent(issuer.url)}`,
  );
  await page.getByText('is not one to this sign-in').waitFor();
  expect(await kept(page)).not.toContain('verifier');
});

it('an issuer that does not answer is named', async () => {
  const { page } = await aPerson(browser);
  await page.goto(`${program.baseUrl}/console/`);
  await page.route(`${issuer.url}/**`, (route) => route.abort());
  await button(page).click();
  await page.getByText('does not answer, or does not allow').waitFor();
  expect(await page.getByLabel('API key').isVisible()).toBe(true);
});
