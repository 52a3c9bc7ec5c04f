import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type AuthMethod, type OAuthClient, OAuthError } from '../../../lib/adapters/oauth.ts';
import { openOAuth } from '../../../lib/adapters/outbound/oauth/client.ts';
import { openOAuthDiscovery } from '../../../lib/adapters/outbound/oauth/discovery.ts';
import { aHostileProvider, type HostileProvider, type Misbehaviour } from '../../support/oauth/hostile.ts';
import {
  anOAuthProvider,
  type TestClientName,
  type TestProvider,
  testClients,
} from '../../support/oauth/provider.ts';

const oauth = openOAuth({ allowedHosts: [], loopback: true });
const discovery = openOAuthDiscovery({ allowedHosts: [], loopback: true });
/** Far more than any of these take, also on a busy machine. */
const soon = () => AbortSignal.timeout(20_000);
const redirectUri = 'http://127.0.0.1:1/callback';

const clientAt = (
  {
    authUrl,
    tokenUrl,
    revocationUrl,
    url,
  }: Pick<TestProvider, 'authUrl' | 'tokenUrl' | 'revocationUrl' | 'url'>,
  name: TestClientName = 'post',
): OAuthClient => {
  const known: { client_id: string; token_endpoint_auth_method: AuthMethod; client_secret?: string } =
    testClients[name];
  return {
    ...{ authUrl, tokenUrl, revocationUrl, issuer: url, issInResponse: true },
    clientId: known.client_id,
    authMethod: known.token_endpoint_auth_method,
    ...(known.client_secret !== undefined && { clientSecret: known.client_secret }),
  };
};

const aVerifier = () => {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

/** From the consent to the tokens. */
async function grantOf(provider: TestProvider, client: OAuthClient, scopes = ['openid', 'email', 'read']) {
  const { verifier, challenge } = aVerifier();
  const asked = { redirectUri, scopes, state: 'a-state', challenge, params: {} };
  const back = await provider.consent(oauth.authorizationUrl(client, asked));
  const exchanged = { callback: back.searchParams, state: 'a-state', redirectUri, verifier };
  return oauth.exchange(client, exchanged, soon());
}

/** What the promise rejects with, for comparing. */
async function failure(promise: Promise<unknown>) {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof OAuthError)) throw new Error(`it did not fail so: ${String(error)}`);
  return error;
}

describe('at a certified server', () => {
  it.each(['post', 'basic', 'none'] as const)(
    'a client that authenticates by %s gets tokens, refreshes and revokes them',
    async (name) => {
      const provider = await anOAuthProvider();
      const client = clientAt(provider, name);
      const first = await grantOf(provider, client);
      expect(first).toMatchObject({ expiresInSeconds: 3600, accountLabel: 'alice@example.test' });
      expect(first.scopes).toEqual(expect.arrayContaining(['openid', 'email', 'read']));
      expect(await provider.accepts(first.accessToken)).toBe(true);
      const second = await oauth.refresh(client, first.refreshToken ?? '', soon());
      expect(second.refreshToken).not.toBe(first.refreshToken);
      expect(await provider.accepts(second.accessToken)).toBe(true);
      await oauth.revoke(client, second.refreshToken ?? '', 'refresh_token', soon());
      expect(await provider.accepts(second.accessToken)).toBe(false);
      expect(provider.counts).toMatchObject({ codes: 1, refreshes: 1 });
    },
  );

  it('a refresh token that was used ends the grant, and the provider wants consent again', async () => {
    const provider = await anOAuthProvider();
    const client = clientAt(provider);
    const first = await grantOf(provider, client);
    const second = await oauth.refresh(client, first.refreshToken ?? '', soon());
    expect(await failure(oauth.refresh(client, first.refreshToken ?? '', soon()))).toMatchObject({
      kind: 'invalid_grant',
    });
    expect(await failure(oauth.refresh(client, second.refreshToken ?? '', soon()))).toMatchObject({
      kind: 'invalid_grant',
    });
  });

  it('a person who says no is told from a failure', async () => {
    const provider = await anOAuthProvider();
    const client = clientAt(provider);
    const { verifier, challenge } = aVerifier();
    const asked = { redirectUri, scopes: ['openid'], state: 's', challenge, params: {} };
    const back = await provider.consent(oauth.authorizationUrl(client, asked), { deny: true });
    const exchanged = { callback: back.searchParams, state: 's', redirectUri, verifier };
    expect(await failure(oauth.exchange(client, exchanged, soon()))).toMatchObject({
      kind: 'refused',
      code: 'access_denied',
    });
  });

  it('another verifier, state or issuer makes no token', async () => {
    const provider = await anOAuthProvider();
    const client = clientAt(provider);
    const { challenge } = aVerifier();
    const asked = { redirectUri, scopes: ['openid'], state: 's', challenge, params: {} };
    const url = oauth.authorizationUrl(client, asked);
    const back = (await provider.consent(url)).searchParams;
    const changed = (changes: Record<string, string>) => {
      const callback = new URLSearchParams(back);
      for (const [name, value] of Object.entries(changes)) callback.set(name, value);
      return callback;
    };
    const exchange = (callback: URLSearchParams) =>
      failure(
        oauth.exchange(client, { callback, state: 's', redirectUri, verifier: aVerifier().verifier }, soon()),
      );
    expect(await exchange(changed({ state: 'another' }))).toMatchObject({ kind: 'hostile' });
    expect(await exchange(changed({ iss: 'http://127.0.0.1:1' }))).toMatchObject({ kind: 'hostile' });
    const unnamed = changed({});
    unnamed.delete('iss');
    expect(await exchange(unnamed)).toMatchObject({ kind: 'hostile' });
    // No code was sent on in vain so far: the last one is refused by the provider itself.
    expect(provider.asked.token ?? 0).toBe(0);
    expect(await exchange(back)).toMatchObject({ kind: 'invalid_grant' });
    expect(provider.counts.codes).toBe(0);
  });

  it('its metadata is found, and only when it names the very endpoints', async () => {
    const provider = await anOAuthProvider();
    const { authUrl, tokenUrl, revocationUrl, url } = provider;
    expect(await discovery.discover({ authUrl, tokenUrl }, soon())).toEqual({
      ...{ authUrl, tokenUrl, revocationUrl },
      issuer: url,
      issInResponse: true,
    });
    expect(await discovery.discover({ authUrl, tokenUrl: `${url}/other` }, soon())).toBeUndefined();
    provider.faults.discovery = 500;
    expect(await discovery.discover({ authUrl, tokenUrl }, soon())).toBeUndefined();
  });

  it('an MCP server leads to it, and it registers a client', async () => {
    const provider = await anOAuthProvider();
    const wish = { redirectUri, name: 'Slipway' };
    const client = await discovery.discoverMcp(provider.mcpServerUrl, wish, soon());
    expect(client).toMatchObject({
      ...{ tokenUrl: provider.tokenUrl, issuer: provider.url, resource: provider.mcpServerUrl },
      authMethod: 'client_secret_post',
    });
    const { accessToken } = await grantOf(provider, client, ['read']);
    expect(await provider.accepts(accessToken)).toBe(true);
    expect(provider.counts).toMatchObject({ registrations: 1, codes: 1 });
  });

  it('what hangs is left when the time is over', async () => {
    const provider = await anOAuthProvider();
    const client = clientAt(provider);
    const { refreshToken = '' } = await grantOf(provider, client);
    provider.faults = { token: 'hang', revocation: 'hang', discovery: 'hang' };
    const short = () => AbortSignal.timeout(50);
    expect(await failure(oauth.refresh(client, refreshToken, short()))).toMatchObject({ kind: 'transient' });
    expect(await failure(oauth.revoke(client, refreshToken, 'refresh_token', short()))).toMatchObject({
      kind: 'transient',
    });
    expect(await discovery.discover(client, short())).toBeUndefined();
    provider.faults = {};
    expect((await oauth.refresh(client, refreshToken, soon())).refreshToken).not.toBe(refreshToken);
  });
});

const SECRET = testClients.post.client_secret;

/** One request of each kind. */
const requests = {
  exchange: (hostile: HostileProvider, signal: AbortSignal) => {
    const client = clientAt(hostile);
    const asked = { redirectUri, scopes: ['read'], state: 's', challenge: 'c', params: {} };
    const callback = hostile.response(oauth.authorizationUrl(client, asked)).searchParams;
    const request = { callback, state: 's', redirectUri, verifier: 'a-verifier' };
    return oauth.exchange(client, request, signal);
  },
  refresh: (hostile: HostileProvider, signal: AbortSignal) =>
    oauth.refresh(clientAt(hostile), 'a-refresh-token', signal),
};

/** Their answers come never, or never whole: the time that they are given is all that the test takes. */
const ENDLESS = new Set<string>(['hangs', 'sends half an answer'] satisfies Misbehaviour[]);

describe('at a hostile server', () => {
  const kinds: Record<Misbehaviour, OAuthError['kind']> = {
    hangs: 'transient',
    drops: 'transient',
    'sends half an answer': 'transient',
    'answers 500': 'transient',
    'answers 503 in HTML': 'transient',
    'answers 429': 'transient',
    'answers 400 in HTML': 'hostile',
    'answers 200 in HTML': 'hostile',
    'answers without end': 'hostile',
    'redirects inside': 'hostile',
    'gives no token': 'hostile',
    'gives a token of a kind of its own': 'hostile',
    'gives an empty token': 'hostile',
    'answers an array': 'hostile',
    'says an error with 200': 'refused',
    'reflects what it was sent': 'refused',
    'says no client': 'refused',
    'wants consent again': 'invalid_grant',
    'names an error in words of its own': 'refused',
  };

  it.each(Object.entries(kinds))('that %s: %s, and no word of its body', async (behaves, kind) => {
    const hostile = await aHostileProvider();
    hostile.behaves = behaves as Misbehaviour; // its own keys
    for (const request of Object.values(requests)) {
      const signal = ENDLESS.has(behaves) ? AbortSignal.timeout(100) : soon();
      const error = await failure(request(hostile, signal));
      expect(error.kind).toBe(kind);
      expect(`${error.message} ${error.stack}`).not.toMatch(
        /alert|Sorry|Welcome|xxxx|a-code|a-refresh-token/,
      );
      expect(JSON.stringify([error.message, error.cause])).not.toContain(SECRET);
    }
    expect(hostile.received.every(({ path }) => path === '/token')).toBe(true);
  });

  it('that bends the rules is understood', async () => {
    const hostile = await aHostileProvider();
    hostile.behaves = 'gives a token in a form of its own';
    expect(await requests.refresh(hostile, soon())).toEqual({
      ...{ accessToken: 'an-access-token', expiresInSeconds: 60, scopes: ['read', 'write'] },
    });
    hostile.behaves = 'gives a token for ever';
    const { expiresInSeconds = 0 } = await requests.refresh(hostile, soon());
    expect(new Date(Date.now() + expiresInSeconds * 1000).getFullYear()).toBeLessThan(2100);
  });

  it('a code of another server is not sent there: the answer says who gave it', async () => {
    const [honest, hostile] = [await anOAuthProvider(), await aHostileProvider()];
    const client = clientAt(hostile);
    const asked = { redirectUri, scopes: ['read'], state: 's', params: {} };
    const callback = hostile.response(oauth.authorizationUrl(client, asked), { iss: honest.url });
    const request = { callback: callback.searchParams, state: 's', redirectUri };
    expect((await failure(oauth.exchange(client, request, soon()))).kind).toBe('hostile');
    expect(hostile.received).toEqual([]);
  });

  it('metadata of somebody else, and endpoints inside, are not believed', async () => {
    const hostile = await aHostileProvider();
    const { authUrl, tokenUrl, url } = hostile;
    const metadata = {
      issuer: 'https://other.example',
      authorization_endpoint: authUrl,
      token_endpoint: tokenUrl,
    };
    hostile.documents['/.well-known/oauth-authorization-server'] = metadata;
    expect(await discovery.discover({ authUrl, tokenUrl }, soon())).toBeUndefined();
    const resource = { resource: hostile.mcpServerUrl, authorization_servers: ['http://169.254.169.254'] };
    hostile.documents['/.well-known/oauth-protected-resource/mcp'] = resource;
    const wish = { redirectUri, name: 'Slipway' };
    const discover = () => failure(discovery.discoverMcp(hostile.mcpServerUrl, wish, soon()));
    expect(await discover()).toMatchObject({ kind: 'refused', message: /publishes no authorization server/ });
    hostile.documents['/.well-known/oauth-protected-resource/mcp'] = {
      ...resource,
      authorization_servers: [url],
    };
    hostile.documents['/.well-known/oauth-authorization-server'] = {
      ...metadata,
      issuer: url,
      code_challenge_methods_supported: ['S256'],
      registration_endpoint: 'http://169.254.169.254/register',
    };
    expect(await discover()).toMatchObject({ kind: 'hostile' });
  });
});

it('parameters of a provider do not replace those of the protocol', () => {
  const client = { authUrl: 'https://a.example/auth?kept=1', tokenUrl: 'https://a.example/t' };
  const params = {
    prompt: 'consent',
    state: 'x',
    client_id: 'x',
    code_challenge_method: 'plain',
    scope: 'x',
  };
  const request = { redirectUri, scopes: ['read', 'write'], state: 's', challenge: 'c', params };
  const url = oauth.authorizationUrl({ ...client, clientId: 'me', authMethod: 'none' }, request);
  expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
    ...{ kept: '1', prompt: 'consent', client_id: 'me', response_type: 'code', state: 's' },
    ...{ scope: 'read write', redirect_uri: redirectUri },
    ...{ code_challenge: 'c', code_challenge_method: 'S256' },
  });
});
