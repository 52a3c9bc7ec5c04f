import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import { vi } from 'vitest';
import { onLoopback } from '../http/loopback-server.ts';
import { interact } from './provider.ts';

/** Tokens are for this API; a resource is named by an address (RFC 8707). */
export const API_AUDIENCE = 'https://slipway.example/api';
export const CONSOLE_CLIENT = 'slipway-console';

/** An issuer where people sign in to the console (`oidc-provider`): a public client, PKCE required, JWTs. */
export type SignInIssuer = {
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

export async function aSignInIssuer(): Promise<SignInIssuer> {
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
