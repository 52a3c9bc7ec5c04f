import { expect } from 'vitest';
import { encryptBytes } from '../../../lib/adapters/envelope.ts';
import { newConfirmationCode, newSecret, newTicket } from '../../../lib/app/oauth/consent/secrets.ts';
import { authRequestKey, oauthProviderKey } from '../../../lib/store/keys/index.ts';
import { keyOfToken, oauthTokenPlaceKey } from '../../../lib/store/keys/oauth.ts';
import type { AuthRequest } from '../../../lib/store/oauth/auth-requests.ts';
import { scriptedOAuth } from '../../support/oauth/scripted.ts';
import type { MockedTable } from '../../support/table/mocked-table.ts';
import { ids } from '../../support/table/stored-items.ts';
import type { Case } from './api-cases.ts';
import { aProvider } from './oauth-provider-cases.ts';
import { aToken, OVER, place, refreshing } from './oauth-token-cases.ts';

const provider = aProvider({ sealed: undefined });
const state = newTicket(ids.tenant, ids.auth);
const code = newConfirmationCode();
export const nonce = newTicket(ids.tenant, ids.auth);
export const cookie = newSecret();

/** As the envelope makes it with the data key that the mocked KMS gives. */
function sealed(text: string): string {
  const context = { tenant: ids.tenant, auth_request: ids.auth };
  const body = encryptBytes(new Uint8Array(32).fill(7), Buffer.from(text), context);
  return `v1.AQ==.${body.toString('base64url')}`;
}

const asked: Omit<Extract<AuthRequest, { stage: 'created' }>, 'stage'> = {
  v: 1,
  entity: 'auth_request',
  tenant_id: ids.tenant,
  id: ids.auth,
  organization_id: ids.organization,
  owner_id: ids.user,
  key_id: ids.key,
  provider_id: provider.provider_id,
  provider_uid: provider.id,
  token_url: provider.token_url,
  scopes: ['read'],
  redirect_uri: 'https://api.example.com/v2/auth/callback/idp',
  user_binding: 'browser',
  nonce_hash: nonce.hash,
  created_at: '2026-01-01T00:00:00.000Z',
  expires_at: 4_000_000_000_000,
  ttl: 4_000_000_000,
};

const begun = { cookie_hash: cookie.hash, state_hash: state.hash, sealed_verifier: sealed('a-verifier') };

export const requests = {
  created: { ...asked, stage: 'created' },
  consenting: { ...asked, ...begun, stage: 'consenting' },
  confirming: {
    ...asked,
    stage: 'confirming',
    sealed_answer: sealed(JSON.stringify({ accessToken: 'an-access-token', receivedAt: 1 })),
    code_hash: code.hash,
    attempts_left: 5,
  },
  completed: { ...asked, stage: 'completed', granted_token_id: ids.token },
  ended: { ...asked, stage: 'ended', error: 'access_denied' },
} as const satisfies Record<string, AuthRequest>;

/** A request for consent at this stage, at a provider that gives a token. */
export function seedRequest(table: MockedTable, item: AuthRequest): void {
  scriptedOAuth.exchange = async () => ({ accessToken: 'an-access-token' });
  table.seed(oauthProviderKey(ids.organization, 'idp'), provider);
  table.seed(authRequestKey(ids.tenant, ids.auth), item);
}

export const stateText = state.text;

/** Asking for consent and what comes of it, but for pages. */
export function consentCases(table: MockedTable): Record<string, Case> {
  const seedProvider = () => table.seed(oauthProviderKey(ids.organization, 'idp'), provider);
  const seedToken = (changes: Parameters<typeof aToken>[0] = {}) => {
    seedProvider();
    table.seed(keyOfToken(aToken()), aToken(changes));
    table.seed(oauthTokenPlaceKey(ids.tenant, ids.token), place);
  };
  const wish = { provider: 'idp', scopes: ['read'] };
  const callback: Case = {
    given: () => seedRequest(table, requests.consenting),
    request: { body: { state: state.text, code: 'a-code' } },
    shows: { status: 'completed', auth_id: ids.auth },
    fails: [
      [
        'another provider',
        404,
        "OAuth provider 'idp' not found.",
        { given: () => table.forget(oauthProviderKey(ids.organization, 'idp')) },
      ],
      [
        'a state that was used',
        400,
        expect.stringContaining("'state' is unknown"),
        { given: () => table.seed(authRequestKey(ids.tenant, ids.auth), requests.completed) },
      ],
      [
        'no state',
        422,
        [expect.objectContaining({ loc: ['body', 'state'], type: 'missing' })],
        { request: { body: { code: 'a-code' } } },
      ],
    ],
  };
  return {
    authenticate: {
      given: seedProvider,
      request: { body: wish },
      shows: {
        status: 'pending',
        url: expect.stringMatching(/^https:\/\/api\.example\.com\/v2\/auth\/begin\//),
      },
      also: {
        given: () => {
          seedToken(OVER);
          refreshing(async () => ({ accessToken: 'a-newer-one', expiresInSeconds: 60 }));
        },
        request: { body: wish },
      },
      fails: [
        [
          'an unknown provider',
          404,
          "OAuth provider 'other' not found.",
          { request: { body: { ...wish, provider: 'other' } } },
        ],
        [
          'a redirect URI that is not allowed',
          422,
          [expect.objectContaining({ loc: ['body', 'redirect_uri'], type: 'value_error' })],
          { request: { body: { ...wish, redirect_uri: 'https://evil.example/' } } },
        ],
      ],
    },
    waitForConsent: {
      given: () => {
        seedToken();
        table.seed(authRequestKey(ids.tenant, ids.auth), requests.completed);
      },
      shows: { status: 'completed', token: 'an-access-token' },
      fails: [
        [
          'no number',
          422,
          [expect.objectContaining({ loc: ['query', 'timeout'], type: 'value_error' })],
          { request: { query: { timeout: 'long' } } },
        ],
      ],
    },
    callback,
    callbackAlias: callback,
    completeConsent: {
      given: () => seedRequest(table, requests.confirming),
      request: { body: { confirmation_code: code.text } },
      shows: { status: 'completed', auth_id: ids.auth },
      fails: [
        [
          'another request',
          404,
          `Authentication request ID ${ids.auth} not found.`,
          { given: () => table.forget(authRequestKey(ids.tenant, ids.auth)) },
        ],
        [
          'a wrong code',
          400,
          'The confirmation code is not the right one; attempts left: 4.',
          { request: { body: { confirmation_code: 'AAAA' } } },
        ],
        [
          'one that waits for nothing',
          409,
          expect.stringContaining('is finished'),
          { given: () => seedRequest(table, requests.ended) },
        ],
      ],
    },
  };
}
