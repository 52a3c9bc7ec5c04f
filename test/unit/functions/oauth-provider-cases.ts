import { expect } from 'vitest';
import { OAuthError } from '../../../lib/adapters/oauth.ts';
import { oauthProviderKey } from '../../../lib/store/keys/index.ts';
import type { OAuthProvider } from '../../../lib/store/oauth/providers.ts';
import { scriptedDiscovery } from '../../support/oauth/scripted.ts';
import type { MockedTable } from '../../support/table/mocked-table.ts';
import { ids } from '../../support/table/stored-items.ts';
import type { Case } from './api-cases.ts';

const AT = '2026-01-01T00:00:00.000Z';

export const aProvider = (changes: Partial<OAuthProvider> = {}): OAuthProvider => ({
  v: 1,
  entity: 'oauth_provider',
  organization_id: ids.organization,
  id: ids.integration,
  provider_id: 'idp',
  name: 'ours',
  client_id: 'me',
  auth_url: 'https://idp.example/auth',
  token_url: 'https://idp.example/token',
  uses_pkce: true,
  code_challenge_method: 'S256',
  token_endpoint_auth_method: 'client_secret_post',
  authorization_params: {},
  is_dynamic_client: false,
  allowed_redirect_uris: [],
  user_binding: 'browser',
  sealed: 'v1.x.y',
  version: 1,
  created_at: AT,
  updated_at: AT,
  created_by: ids.user,
  ...changes,
});

const wanted = {
  ...{ provider_id: 'idp', name: 'ours', client_id: 'me', client_secret: 'never-shown' },
  ...{ auth_url: 'https://idp.example/auth', token_url: 'https://idp.example/token' },
};
const discovered = { provider_id: 'idp', name: 'ours', mcp_server_url: 'https://mcp.example/mcp' };
const shown = {
  ...{ id: expect.any(String), organization_id: ids.organization, provider_id: 'idp', uses_pkce: true },
  ...{ code_challenge_method: 'S256', token_endpoint_auth_method: 'client_secret_post' },
};
const wrongAddress = (field: string) => [
  expect.objectContaining({ loc: ['body', field], type: 'value_error' }),
];

/** Of OAuth providers; nobody outside is asked. */
export function oauthProviderCases(table: MockedTable): Record<string, Case> {
  const stored = () => table.seed(oauthProviderKey(ids.organization, 'idp'), aProvider());
  const gone: Case['fails'][number] = [
    'another provider',
    404,
    "OAuth provider 'idp' not found.",
    { given: () => table.forget(oauthProviderKey(ids.organization, 'idp')) },
  ];
  const taken = () => table.refuseOnce(({ Put }) => Put?.Item?.entity === 'oauth_provider');
  const real = scriptedDiscovery.discoverMcp;
  const failing = (kind: OAuthError['kind']) => () => {
    scriptedDiscovery.discoverMcp = async () => {
      scriptedDiscovery.discoverMcp = real;
      throw new OAuthError(kind, 'for a reason.');
    };
  };
  return {
    createProvider: {
      request: { body: wanted },
      shows: { ...shown, is_dynamic_client: false },
      fails: [
        ['a name that is taken', 409, "OAuth provider 'idp' already exists.", { given: taken }],
        [
          'an address inside',
          422,
          wrongAddress('token_url'),
          { request: { body: { ...wanted, token_url: 'https://10.0.0.1/token' } } },
        ],
        [
          'an address without TLS',
          422,
          wrongAddress('auth_url'),
          { request: { body: { ...wanted, auth_url: 'http://idp.example/auth' } } },
        ],
      ],
    },
    discoverProvider: {
      request: { body: discovered },
      shows: { ...shown, is_dynamic_client: true, client_id: 'registered' },
      fails: [
        ['a name that is taken', 409, "OAuth provider 'idp' already exists.", { given: stored }],
        [
          'a server that does not answer',
          503,
          expect.stringMatching(/^OAuth provider 'idp' /),
          { given: failing('transient') },
        ],
        ['a server that cannot be used', 422, wrongAddress('mcp_server_url'), { given: failing('refused') }],
      ],
    },
    listProviders: { given: stored, shows: [shown], fails: [] },
    getProvider: { given: stored, shows: shown, fails: [gone] },
    patchProvider: {
      given: stored,
      request: { body: { user_binding: 'strict', client_secret: 'never-shown' } },
      shows: { user_binding: 'strict' },
      fails: [
        gone,
        [
          'another name',
          400,
          "'provider_id' cannot be changed after creation.",
          { request: { body: { provider_id: 'other' } } },
        ],
        [
          'a new address without the secret',
          422,
          [expect.objectContaining({ loc: ['body', 'client_secret'], type: 'missing' })],
          { request: { body: { token_url: 'https://other.example/token' } } },
        ],
      ],
    },
    deleteProvider: {
      given: stored,
      shows: { message: "OAuth provider 'idp' deleted.", provider_id: 'idp' },
      fails: [
        gone,
        [
          'one that somebody else deletes just now',
          404,
          "OAuth provider 'idp' not found.",
          { given: () => table.refuseOnce((write) => write.Delete !== undefined) },
        ],
      ],
    },
  };
}
