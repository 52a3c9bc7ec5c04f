import { authenticate } from '../../../lib/app/oauth/consent/authenticate.ts';
import { begin } from '../../../lib/app/oauth/consent/begin.ts';
import { callbackPage } from '../../../lib/app/oauth/consent/callback-page.ts';
import { showBegin } from '../../../lib/app/oauth/consent/show-begin.ts';
import { createProvider } from '../../../lib/app/oauth/providers/create.ts';
import { importToken } from '../../../lib/app/oauth/tokens/import.ts';
import type { Page, PageRequest } from '../../../lib/contract/page.ts';
import { authenticate as authenticateRow } from '../../../lib/contract/routes/consent.ts';
import { createProvider as createProviderRow } from '../../../lib/contract/routes/oauth-providers.ts';
import { importToken as importTokenRow } from '../../../lib/contract/routes/oauth-tokens.ts';
import type { EventParts } from '../http/event.ts';
import type { World } from '../world/world.ts';
import { formOf } from './browser.ts';
import { scriptedDiscovery, scriptedOAuth } from './scripted.ts';

const BASE = 'https://slipway.example';
const ofProvider = { params: { provider_id: 'idp' } };
const wanted = {
  ...{ provider_id: 'idp', name: 'idp', client_id: 'c', client_secret: 's' },
  ...{ auth_url: 'https://idp.example/auth', token_url: 'https://idp.example/token' },
};

/** From here on no provider is asked: each gives what it is asked for. */
function scripted({ deps }: World): void {
  deps.oauth = { ...scriptedOAuth, exchange: async () => ({ accessToken: 'a-token' }) };
  deps.oauthDiscovery = scriptedDiscovery;
}

async function withProvider(plane: World, changes: object = {}): Promise<void> {
  scripted(plane);
  const body = createProviderRow.body.parse({ ...wanted, ...changes });
  await createProvider(plane.deps, { body }, plane.caller);
}

async function withToken(plane: World): Promise<string> {
  await withProvider(plane);
  const body = importTokenRow.body.parse({ provider_id: 'idp', access_token: 'a-token' });
  return (await importToken(plane.deps, { body }, plane.caller)).id;
}

/** A consent that a browser has been sent on for: which one, what it comes back with, and its cookies. */
async function begun(plane: World, changes: object = {}) {
  await withProvider(plane, changes);
  const { deps, caller } = plane;
  const body = authenticateRow.body.parse({ provider: 'idp', scopes: ['read'] });
  const { url, auth_id } = await authenticate(deps, { body, baseUrl: BASE }, caller);
  const nonce = url?.split('/').at(-1) ?? '';
  const shown = await showBegin(deps, asked(`/v2/auth/begin/${nonce}`, { params: { nonce } }));
  const posted = asked(`/v2/auth/begin/${nonce}`, { params: { nonce }, form: formOf(htmlOf(shown)) });
  const sent = await begin(deps, posted);
  const state = 'location' in sent ? new URL(sent.location).searchParams.get('state') : undefined;
  const cookies = (sent.cookies ?? []).map((line): [string, string] => {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    return [name, value];
  });
  return { auth_id: auth_id ?? '', back: { code: 'a-code', state: state ?? '' }, cookies: new Map(cookies) };
}

const asked = (path: string, more: Partial<PageRequest>): PageRequest => ({
  ...{ params: {}, query: new URLSearchParams(), form: new URLSearchParams(), cookies: new Map() },
  ...{ isFromOwnPage: true, baseUrl: BASE, requestId: 'request', path },
  ...more,
});

const htmlOf = (page: Page): string => ('html' in page ? page.html : '');

const handedOver = async (plane: World): Promise<EventParts> => ({
  ...ofProvider,
  body: (await begun(plane)).back,
});

async function confirming(plane: World): Promise<EventParts> {
  const { auth_id, back, cookies } = await begun(plane, { user_binding: 'strict' });
  const request = { ...ofProvider, query: new URLSearchParams(back), cookies };
  const html = htmlOf(await callbackPage(plane.deps, asked('/v2/auth/callback/idp', request)));
  const [, confirmation_code] = /<code>([0-9A-F-]{39})<\/code>/.exec(html) ?? [];
  return { params: { auth_id }, body: { confirmation_code } };
}

/** What makes each operation of the OAuth area possible that takes an idempotency key, and the request for it. */
export const oauthKinds: Record<string, { prepare: (plane: World) => Promise<EventParts> }> = {
  createProvider: {
    prepare: async (plane) => {
      scripted(plane);
      return { body: wanted };
    },
  },
  discoverProvider: {
    prepare: async (plane) => {
      scripted(plane);
      return { body: { provider_id: 'idp', name: 'idp', mcp_server_url: 'https://mcp.example' } };
    },
  },
  patchProvider: {
    prepare: async (plane) => {
      await withProvider(plane);
      return { ...ofProvider, body: { name: 'another' } };
    },
  },
  importToken: {
    prepare: async (plane) => {
      await withProvider(plane);
      return { body: { provider_id: 'idp', access_token: 'a-token' } };
    },
  },
  changeTokenMetadata: {
    prepare: async (plane) => ({
      params: { token_id: await withToken(plane) },
      body: { metadata: { a: 1 } },
    }),
  },
  createConnection: {
    prepare: async (plane) => ({
      params: { agent_id: 'support' },
      body: { oauth_token_id: await withToken(plane) },
    }),
  },
  callback: { prepare: handedOver },
  callbackAlias: { prepare: handedOver },
  completeConsent: { prepare: confirming },
};
