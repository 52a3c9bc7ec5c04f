import { expect } from 'vitest';
import { formOf } from '../oauth/browser.ts';
import { anOAuthProvider, testClients } from '../oauth/provider.ts';
import { NOBODY, type open } from './wired-world.ts';

type Opened = Awaited<ReturnType<typeof open>>;

const params = { provider_id: 'idp' };

/** Each route of consent, to its success and to each of its refusals. */
export async function expectConsent(opened: Opened): Promise<void> {
  const { ask, refused } = opened;
  const { redirectUris, consented } = await withProvider(opened);
  const [own, alias] = [await consented(), await consented({ redirect_uri: redirectUris[1] })];
  await ask('callbackPage', { params, query: own.back, headers: { cookie: own.cookie } });
  await ask('callbackPageAlias', { params, query: alias.back, headers: { cookie: alias.cookie } });
  const completed = await ask('waitForConsent', { params: { auth_id: own.auth_id } });
  expect(completed).toMatchObject({ status: 'completed', token: expect.any(String) });
  const again = { provider: 'idp', scopes: ['read'], user_id: own.user_id };
  expect(await ask('authenticate', { body: again })).toMatchObject({ status: 'completed' });
  for (const operation of ['callback', 'callbackAlias']) {
    const { back } = await consented();
    await ask(operation, { params, body: back });
    await refused('state_refused', {}, operation, { params, body: back });
  }
  const { back } = await consented();
  await refused('consent_failed', /invalid_grant/, 'callback', { params, body: { ...back, code: 'wrong' } });
}

/** The same of a provider whose consents are confirmed. */
export async function expectConfirmation(opened: Opened): Promise<void> {
  const { ask, refused } = opened;
  const { consented } = await withProvider(opened);
  await ask('patchProvider', { params, body: { user_binding: 'strict' } });
  const { auth_id, back, cookie } = await consented();
  const { text } = await ask('callbackPage', { params, query: back, headers: { cookie } });
  const [, confirmation_code] = /<code>([0-9A-F-]{39})<\/code>/.exec(text) ?? [];
  const ofIt = { params: { auth_id }, body: { confirmation_code } };
  const wrong = { ...ofIt, body: { confirmation_code: 'wrong' } };
  const nobodys = { ...ofIt, params: { auth_id: NOBODY } };
  await refused('auth_request_not_found', { id: NOBODY }, 'completeConsent', nobodys);
  await refused('confirmation_refused', { left: 4 }, 'completeConsent', wrong);
  await ask('completeConsent', ofIt);
  await refused('auth_request_over', {}, 'completeConsent', ofIt);
}

/** A provider `idp` that really asks, and a person who goes through its pages. */
async function withProvider({ wire, ask }: Opened) {
  const base = wire.url.replace('127.0.0.1', 'localhost');
  const redirectUris = ['/v2/auth/callback/idp', '/host-oauth-callback/idp'].map((path) => base + path);
  const server = await anOAuthProvider({ redirectUris });
  const { client_id, client_secret } = testClients.post;
  const addresses = { auth_url: server.authUrl, token_url: server.tokenUrl };
  const names = { ...params, name: 'the provider', client_id, client_secret };
  await ask('createProvider', { body: { ...names, ...addresses, allowed_redirect_uris: redirectUris } });
  return {
    redirectUris,
    /**
     * Asks for consent, and goes as far as the person does before their browser is sent back: with what, and
     * the browser's cookie.
     */
    async consented(wish: object = {}) {
      const user_id = crypto.randomUUID();
      const body = { provider: 'idp', scopes: ['read'], user_id, ...wish };
      const { url, auth_id } = await ask('authenticate', { body });
      const ofPage = { params: { nonce: url.split('/').at(-1) ?? '' } };
      const form = formOf((await ask('showBegin', ofPage)).text).toString();
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      await ask('begin', { ...ofPage, headers, body: form });
      const location = wire.last?.headers.get('location') ?? '';
      const [cookie = ''] = (wire.last?.headers.getSetCookie()[0] ?? '').split(';');
      const { searchParams } = await server.consent(location);
      return { auth_id, user_id, cookie, back: Object.fromEntries(searchParams) };
    },
  };
}
