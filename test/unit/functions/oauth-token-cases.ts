import { expect } from 'vitest';
import { encryptBytes } from '../../../lib/adapters/envelope.ts';
import { OAuthError, type TokenAnswer } from '../../../lib/adapters/oauth.ts';
import { oauthProviderKey } from '../../../lib/store/keys/index.ts';
import { connectionKey, keyOfToken, oauthTokenPlaceKey } from '../../../lib/store/keys/oauth.ts';
import { putConnection } from '../../../lib/store/oauth/connections.ts';
import type { OAuthToken } from '../../../lib/store/oauth/tokens.ts';
import { scriptedOAuth } from '../../support/oauth/scripted.ts';
import type { MockedTable } from '../../support/table/mocked-table.ts';
import { ids } from '../../support/table/stored-items.ts';
import type { Case } from './api-cases.ts';
import { aProvider } from './oauth-provider-cases.ts';

const AT = '2026-01-01T00:00:00.000Z';
const provider = aProvider({ revocation_url: 'https://idp.example/revoke', sealed: undefined });

/** As the envelope makes it with the data key that the mocked KMS gives. */
const sealed = (tokens: object): string => {
  const context = { tenant: ids.tenant, oauth_token: ids.token };
  const key = new Uint8Array(32).fill(7);
  const body = encryptBytes(key, Buffer.from(JSON.stringify(tokens)), context);
  return `v1.AQ==.${body.toString('base64url')}`;
};

export const aToken = (changes: Partial<OAuthToken> = {}): OAuthToken => ({
  v: 1,
  entity: 'oauth_token',
  tenant_id: ids.tenant,
  id: ids.token,
  owner_id: ids.user,
  organization_id: ids.organization,
  provider_id: provider.provider_id,
  provider_uid: provider.id,
  token_url: provider.token_url,
  sealed: sealed({ access_token: 'an-access-token', refresh_token: 'a-refresh-token' }),
  has_refresh_token: true,
  status: 'active',
  scopes: ['read'],
  is_default: false,
  version: 1,
  created_at: AT,
  updated_at: AT,
  ...changes,
});

export const place = {
  v: 1,
  entity: 'oauth_token_place',
  tenant_id: ids.tenant,
  id: ids.token,
  owner_id: ids.user,
  token_sk: keyOfToken(aToken()).sk,
  connections: 1,
};

export const OVER = { expires_at: 1, refresh_from: 1 };
const query = { provider_id: 'idp' };

/** The next refresh comes to this. */
export function refreshing(to: () => Promise<TokenAnswer>): void {
  const { refresh } = scriptedOAuth;
  scriptedOAuth.refresh = () => {
    scriptedOAuth.refresh = refresh;
    return to();
  };
}

const unnamed: Case['fails'][number] = [
  'no provider',
  422,
  [expect.objectContaining({ loc: ['query', 'provider_id'], type: 'missing' })],
  { request: { query: {} } },
];

/** Of OAuth tokens and the connections of agents to them; nobody outside is asked. */
export function oauthTokenCases(table: MockedTable): Record<string, Case> {
  const seedToken = (changes: Partial<OAuthToken> = {}) => table.seed(keyOfToken(aToken()), aToken(changes));
  const stored = (): void => {
    table.seed(oauthProviderKey(ids.organization, 'idp'), provider);
    seedToken();
    table.seed(oauthTokenPlaceKey(ids.tenant, ids.token), place);
    for (const write of putConnection({
      ...{ v: 1, entity: 'oauth_connection', tenant_id: ids.tenant, id: ids.connection },
      ...{ agent_id: 'support', owner_id: ids.user, token_id: ids.token, token_sk: place.token_sk },
      ...{ provider_id: 'idp', created_at: AT },
    })) {
      if ('put' in write) table.seed({ pk: String(write.put.pk), sk: String(write.put.sk) }, write.put);
    }
  };
  const noToken: Case['fails'][number] = [
    'another token',
    404,
    `OAuth token ID ${ids.token} not found.`,
    { given: () => table.forget(oauthTokenPlaceKey(ids.tenant, ids.token)) },
  ];
  const owner = { tenantId: ids.tenant, ownerId: ids.user, agentId: 'support' };
  const noConnection: Case['fails'][number] = [
    'another connection',
    404,
    `Connection ID ${ids.connection} not found.`,
    { given: () => table.forget(connectionKey(owner, ids.connection)) },
  ];
  const noProvider: Case['fails'][number] = [
    'a provider that is gone',
    404,
    "OAuth provider 'idp' not found.",
    { given: () => table.forget(oauthProviderKey(ids.organization, 'idp')) },
  ];
  const brought = { provider_id: 'idp', access_token: 'never-shown', scopes: ['read'] };
  return {
    listTokens: {
      given: stored,
      request: { query },
      shows: [expect.objectContaining({ id: ids.token, status: 'active' })],
      fails: [unnamed],
    },
    tokenExists: { given: stored, request: { query }, shows: { has_token: true }, fails: [unnamed] },
    deleteTokens: {
      given: stored,
      request: { query },
      shows: { message: "Deleted 1 token of OAuth provider 'idp'.", provider_id: 'idp', deleted: 1 },
      fails: [unnamed],
    },
    importToken: {
      given: stored,
      request: { body: brought },
      shows: { provider_id: 'idp', has_refresh_token: false },
      fails: [
        noProvider,
        [
          'a token that no header takes',
          422,
          [
            {
              loc: ['body', 'access_token'],
              type: 'string_pattern_mismatch',
              msg: expect.any(String),
              ctx: expect.any(Object),
            },
          ],
          { request: { body: { ...brought, access_token: 'a\nb' } } },
        ],
      ],
    },
    deleteToken: { given: stored, fails: [noToken] },
    changeTokenMetadata: {
      given: stored,
      request: { body: { metadata: { plan: 'pro' }, is_default: true } },
      shows: { metadata: { plan: 'pro' }, is_default: true },
      fails: [noToken],
    },
    listConnections: {
      given: stored,
      shows: { data: [expect.objectContaining({ id: ids.connection, oauth_token_id: ids.token })] },
      fails: [],
    },
    createConnection: {
      given: () => {
        stored();
        table.forget(connectionKey(owner, ids.connection));
      },
      request: { body: { oauth_token_id: ids.token } },
      shows: { agent_id: 'support', oauth_token_id: ids.token },
      fails: [
        noToken,
        [
          'a token that has as many as it can have',
          409,
          expect.stringContaining('has 40 connections'),
          { given: () => table.refuseOnce((write) => write.Update !== undefined, place) },
        ],
        [
          'no token',
          422,
          [expect.objectContaining({ loc: ['body', 'oauth_token_id'], type: 'missing' })],
          { request: { body: {} } },
        ],
      ],
    },
    deleteConnection: { given: stored, fails: [noConnection] },
    getConnectionToken: {
      given: stored,
      shows: { access_token: 'an-access-token', token_type: 'Bearer', expires_at: null },
      also: {
        given: () => {
          stored();
          seedToken(OVER);
          refreshing(async () => ({ accessToken: 'another', expiresInSeconds: 60 }));
        },
        request: {},
      },
      fails: [
        noConnection,
        noProvider,
        [
          'a grant that the provider takes no more',
          409,
          expect.stringMatching(/^token_expired: /),
          { given: () => seedToken({ status: 'expired' }) },
        ],
        [
          'a provider that does not answer',
          503,
          "OAuth provider 'idp' does not answer as it should at the moment; try again.",
          {
            given: () => {
              seedToken(OVER);
              refreshing(() => Promise.reject(new OAuthError('transient', 'it hangs')));
            },
          },
        ],
      ],
    },
  };
}
