import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type ClientMetadata, type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import { onTestFinished, vi } from 'vitest';
import { onLoopback } from '../http/loopback-server.ts';
import { consentAt } from './consent-pages.ts';

/** What a request to an endpoint meets instead of an answer: none ever, or this status. */
export type Fault = 'hang' | number;
type Endpoint = 'token' | 'revocation' | 'registration' | 'discovery';

const SECRET = 'a-client-secret-of-forty-characters-00001';

/** The clients it knows, one for each way to authenticate at the token endpoint. */
export const testClients = {
  post: { client_id: 'client-post', token_endpoint_auth_method: 'client_secret_post', client_secret: SECRET },
  basic: {
    client_id: 'client-basic',
    token_endpoint_auth_method: 'client_secret_basic',
    client_secret: `${SECRET}:+% `,
  },
  none: { client_id: 'client-none', token_endpoint_auth_method: 'none' },
} as const;
export type TestClientName = keyof typeof testClients;

export type TestProviderOptions = {
  redirectUris?: string[];
  /** Whether a request without PKCE is refused. Default: as for public clients. */
  pkceRequired?: boolean;
  accessTokenSeconds?: number;
  /** Each refresh gives a new refresh token; one that is used twice ends the grant. Default: yes. */
  rotates?: boolean;
  scopes?: string[];
};

export type TestProvider = {
  /** Its issuer, without a trailing slash. */
  url: string;
  authUrl: string;
  tokenUrl: string;
  revocationUrl: string;
  /** An MCP server that trusts it, beside it on the same port. */
  mcpServerUrl: string;
  /** Successes at the token and other endpoints. */
  counts: { codes: number; refreshes: number; revocations: number; registrations: number };
  /** Every access and refresh token that it has given. */
  issued: string[];
  /** Requests that came, by `grant_type` or endpoint, whatever became of them. */
  asked: Record<string, number>;
  /** From now on these endpoints fail so; set to undefined to heal. */
  faults: Partial<Record<Endpoint, Fault | undefined>>;
  /** Changes how long access tokens last that are given from now on. */
  accessTokenSeconds: number;
  /** Whether the provider takes this access token, as an API behind it would. */
  accepts(accessToken: string): Promise<boolean>;
  /**
   * Ends every grant of an account, as a person does in the provider's settings: refreshing gives
   * `invalid_grant` then.
   */
  revokeGrants(): Promise<void>;
  /**
   * Walks through sign-in and consent as a person in a browser would; gives the address of the callback,
   * which is not opened.
   */
  consent(authorizationUrl: string, how?: { accountId?: string; deny?: boolean }): Promise<URL>;
  close(): Promise<void>;
};

const PATHS: Record<string, Endpoint> = {
  '/token': 'token',
  '/token/revocation': 'revocation',
  '/reg': 'registration',
  '/.well-known/openid-configuration': 'discovery',
  '/.well-known/oauth-authorization-server': 'discovery',
};

/** A certified authorization server of this machine (`oidc-provider`), closed when the test has finished. */
export async function anOAuthProvider(options: TestProviderOptions = {}): Promise<TestProvider> {
  const opened = await openOAuthProvider(options);
  onTestFinished(() => opened.close());
  return opened;
}

/** The same, for whoever closes it. */
export async function openOAuthProvider(options: TestProviderOptions = {}): Promise<TestProvider> {
  let answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  const server = createServer((request, response) => answer(request, response));
  const { url, close } = await onLoopback(server);
  const grants = new Set<string>();
  const test: TestProvider = {
    url,
    authUrl: `${url}/auth`,
    tokenUrl: `${url}/token`,
    revocationUrl: `${url}/token/revocation`,
    mcpServerUrl: `${url}/mcp`,
    counts: { codes: 0, refreshes: 0, revocations: 0, registrations: 0 },
    issued: [],
    asked: {},
    faults: {},
    accessTokenSeconds: options.accessTokenSeconds ?? 3600,
    accepts: async (accessToken) =>
      (await fetch(`${url}/whoami`, { headers: { authorization: `Bearer ${accessToken}` } })).ok,
    revokeGrants: async () => {
      for (const id of grants) await (await provider.Grant.find(id))?.destroy();
      grants.clear();
    },
    consent: (authorizationUrl, how) => consentAt(url, authorizationUrl, how),
    close,
  };
  const provider = await providerOf(test, options);
  count(provider, test);
  const callback = provider.callback();
  answer = (request, response) => {
    void answerBeside(provider, test, grants, request, response).then((isAnswered) => {
      if (!isAnswered) void callback(request, response);
    });
  };
  return test;
}

async function providerOf(test: TestProvider, options: TestProviderOptions): Promise<Provider> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: 'one' };
  const redirect_uris = options.redirectUris ?? ['http://127.0.0.1:1/callback'];
  const clients = Object.values(testClients).map(
    (client): ClientMetadata => ({
      ...client,
      redirect_uris,
      id_token_signed_response_alg: 'ES256',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'native',
    }),
  );
  const configuration: Configuration = {
    clients,
    jwks: { keys: [jwk] },
    cookies: { keys: ['for tests only'] },
    scopes: options.scopes ?? ['openid', 'offline_access', 'email', 'read', 'write'],
    claims: { openid: ['sub'], email: ['email'] },
    conformIdTokenClaims: false,
    pkce: {
      required: (_, client) => options.pkceRequired ?? client.tokenEndpointAuthMethod === 'none',
    },
    rotateRefreshToken: options.rotates ?? true,
    issueRefreshToken: async () => true,
    ttl: {
      AccessToken: () => test.accessTokenSeconds,
      IdToken: 3600,
      Grant: 86_400,
      Interaction: 600,
      Session: 600,
      RefreshToken: 86_400,
    },
    findAccount: async (_, accountId) => ({
      accountId,
      claims: async () => ({ sub: accountId, email: `${accountId}@example.test` }),
    }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    features: {
      devInteractions: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: async (_, client, token) => token.clientId === client.clientId,
      },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: async () => ({ scope: 'read write', accessTokenFormat: 'opaque' }),
        useGrantedResource: async () => true,
      },
    },
  };
  const quiet = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'info')];
  for (const spy of quiet) spy.mockImplementation(() => undefined);
  const provider = new Provider(test.url, configuration);
  for (const spy of quiet) spy.mockRestore();
  return provider;
}

function count(provider: Provider, { counts, issued }: TestProvider): void {
  provider.on('grant.success', ({ oidc, body }: KoaContextWithOIDC) => {
    const { access_token, refresh_token } = body as Record<string, string | undefined>; // RFC 6749 §5.1
    issued.push(...[access_token, refresh_token].filter((token) => token !== undefined));
    if (oidc.params?.grant_type === 'refresh_token') counts.refreshes += 1;
    else counts.codes += 1;
  });
  provider.on('registration_create.success', () => {
    counts.registrations += 1;
  });
  provider.on('grant.revoked', () => {
    counts.revocations += 1;
  });
}

/**
 * What stands beside the library: faults, the pages of a person, an API that takes its tokens, an MCP server.
 */
async function answerBeside(
  provider: Provider,
  test: TestProvider,
  grants: Set<string>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const path = new URL(request.url ?? '/', test.url).pathname;
  const endpoint = PATHS[path];
  if (endpoint !== undefined) test.asked[endpoint] = (test.asked[endpoint] ?? 0) + 1;
  const fault = endpoint === undefined ? undefined : test.faults[endpoint];
  if (fault === 'hang') return true;
  if (fault !== undefined) return end(response, fault, { error: 'server_error' });
  if (path === '/whoami') return whoAmI(provider, request, response);
  if (path === '/mcp') {
    response.setHeader(
      'www-authenticate',
      `Bearer resource_metadata="${test.url}/.well-known/oauth-protected-resource/mcp"`,
    );
    return end(response, 401, {});
  }
  if (path === '/.well-known/oauth-protected-resource/mcp') {
    return end(response, 200, { resource: test.mcpServerUrl, authorization_servers: [test.url] });
  }
  if (path.startsWith('/interaction/')) return interact(provider, grants, request, response);
  return false;
}

function end(response: ServerResponse, status: number, body: object): true {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  return true;
}

async function whoAmI(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<true> {
  const [, token = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
  const found = await provider.AccessToken.find(token);
  const isGood = found?.isValid === true && (await provider.Grant.find(found.grantId ?? '')) !== undefined;
  return end(response, isGood ? 200 : 401, {});
}

const PAGE = `<!doctype html><html lang="en"><title>Provider</title><h1>Allow access?</h1>
<form method="post"><input name="account" value="alice" aria-label="Account">
<button name="decision" value="allow">Allow</button><button name="decision" value="deny">Deny</button></form></html>`;

/** One page for sign-in and consent, as a person sees it. */
export async function interact(
  provider: Provider,
  grants: Set<string>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<true> {
  if (request.method !== 'POST') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);
    return true;
  }
  const { params } = await provider.interactionDetails(request, response);
  const form = new URLSearchParams(await bodyOf(request));
  if (form.get('decision') === 'deny') {
    const error = { error: 'access_denied', error_description: 'The person said no' };
    await provider.interactionFinished(request, response, error);
    return true;
  }
  const accountId = form.get('account') ?? 'alice';
  const grant = new provider.Grant({ accountId, clientId: String(params.client_id) });
  const scope = String(params.scope ?? '');
  grant.addOIDCScope(scope);
  if (typeof params.resource === 'string') grant.addResourceScope(params.resource, 'read write');
  const grantId = await grant.save();
  grants.add(grantId);
  await provider.interactionFinished(request, response, { login: { accountId }, consent: { grantId } });
  return true;
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts).toString();
}
