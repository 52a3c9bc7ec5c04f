import { onTestFinished } from 'vitest';
import { issueApiKey } from '../../../lib/core/identity/issue-api-key.ts';
import { type OAuthProvider, oauthProviderKey } from '../../../lib/core/items/oauth-providers.ts';
import { sealClientSecret } from '../../../lib/core/oauth/client.ts';
import { startGateway } from '../../../lib/embedded/gateway/server.ts';
import { apiHandler } from '../../../lib/embedded/runtime/handlers.ts';
import * as rows from '../../../lib/features/consent/routes.ts';
import { createConnection } from '../../../lib/features/oauth-connections/routes.ts';
import { bootstrap } from '../../../lib/features/tenants/bootstrap.ts';
import { put } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { aWorld, type World } from '../world/world.ts';
import { Browser, type Seen } from './browser.ts';
import { anOAuthProvider, type TestProvider, testClients } from './provider.ts';

type Json = Record<string, unknown> & {
  status: string;
  url: string;
  auth_id: string;
  token: string;
  detail: unknown;
};
type Asked = { status: number; headers: Headers; json: Json };

export type ConsentWorld = World & {
  provider: TestProvider;
  base: string;
  organizationId: string;
  tenantId: string;
  /** The key of the user who asks, and that of another user of the same tenant. */
  key: string;
  otherKey: string;
  post(path: string, body: object, key?: string): Promise<Asked>;
  /** Asks for `read` at the provider `p`, with these changes. */
  authenticate(changes?: object, key?: string): Promise<Json>;
  wait(authId: string, timeout?: number, key?: string): Promise<Json>;
  /** Keeps a provider item; the real one is `p`. */
  keepProvider(changes: Partial<OAuthProvider>): Promise<OAuthProvider>;
  /**
   * Opens the page in this browser, presses its button, and consents at the provider: the address of the
   * callback.
   */
  consent(url: string, browser?: Browser, how?: { accountId?: string; deny?: boolean }): Promise<string>;
  /** The same up to the page that the callback shows. */
  walk(url: string, browser?: Browser, how?: { accountId?: string; deny?: boolean }): Promise<Seen>;
};

/** A provider may lead browsers back to an address that has this `id` in place of its name. */
export const OTHER_ID = '0190a000-0000-7000-8000-0000000000b7';

/**
 * The endpoints of consent, and the one that makes connections, behind the real gateway, with a certified
 * provider.
 */
export async function aConsentWorld(changes: Partial<OAuthProvider> = {}): Promise<ConsentWorld> {
  const world = await aWorld();
  const { apiKey, organizationId, tenantId } = await bootstrap(world.deps, {
    organization: 'Acme & Sons',
    tenant: 't',
  });
  const other = { organizationId, tenantId, userId: world.deps.clock.randomId(), role: 'developer' } as const;
  const gateway = await startGateway({
    port: 0,
    routes: [...Object.values(rows), createConnection],
    handlerOf: (row) => apiHandler(row, () => world.deps),
    serveBlob: async () => false,
    onError: (error) => {
      throw error;
    },
  });
  onTestFinished(() => gateway.close());
  const base = `http://localhost:${gateway.port}`;
  const front = 'https://front.example/back';
  const names = ['p', OTHER_ID, OTHER_ID.toUpperCase()];
  const redirectUris = [...names.map((name) => `${base}/v2/auth/callback/${name}`), front];
  const provider = await anOAuthProvider({ redirectUris });
  const { client_id, client_secret } = testClients.post;
  const keepProvider = async (own: Partial<OAuthProvider>): Promise<OAuthProvider> => {
    const at = new Date().toISOString();
    const item: OAuthProvider = {
      v: 1,
      entity: 'oauth_provider',
      organization_id: organizationId,
      id: world.deps.clock.orderedId(),
      provider_id: 'p',
      name: 'The Provider',
      client_id,
      auth_url: provider.authUrl,
      token_url: provider.tokenUrl,
      uses_pkce: true,
      token_endpoint_auth_method: 'client_secret_post',
      authorization_params: {},
      is_dynamic_client: false,
      allowed_redirect_uris: [`${base}/v2/auth/callback/p`, front],
      user_binding: 'browser',
      issuer: provider.url,
      iss_in_response: true,
      version: 1,
      created_at: at,
      updated_at: at,
      created_by: 'somebody',
      ...own,
    };
    item.sealed = await sealClientSecret(world.deps, item, client_secret);
    const key = oauthProviderKey(organizationId, item.provider_id);
    await transact(world.deps.table, [put('provider', { ...key, ...item })]);
    return item;
  };
  await keepProvider(changes);

  const ask = async (path: string, key: string, init: RequestInit = {}): Promise<Asked> => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const response = await fetch(`http://127.0.0.1:${gateway.port}${path}`, { ...init, headers });
    return { status: response.status, headers: response.headers, json: (await response.json()) as Json };
  };
  const consentWorld: ConsentWorld = {
    ...world,
    ...{ provider, base, organizationId, tenantId, keepProvider, key: apiKey },
    otherKey: await issueApiKey(world.deps, { ...other, name: 'other' }),
    post: (path, body, key = apiKey) => ask(path, key, { method: 'POST', body: JSON.stringify(body) }),
    authenticate: async (more = {}, key = apiKey) =>
      (await consentWorld.post('/v2/auth/authenticate', { provider: 'p', scopes: ['read'], ...more }, key))
        .json,
    wait: async (authId, timeout = 0, key = apiKey) =>
      (await ask(`/v2/auth/wait/${authId}?timeout=${timeout}`, key)).json,
    async consent(url, browser = new Browser(), how) {
      await browser.open(url);
      const { location = '', status, text } = await browser.press();
      if (status !== 303) throw new Error(`the button led nowhere: ${status} ${text}`);
      return (await provider.consent(location, how)).href;
    },
    walk: async (url, browser = new Browser(), how) =>
      browser.open(await consentWorld.consent(url, browser, how)),
  };
  return consentWorld;
}
