import { describe, expect, it } from 'vitest';
import { createProviderBody } from '../../../lib/features/oauth-providers/shape.ts';

const idp = { auth_url: 'https://idp.example/auth', token_url: 'https://idp.example/token' };

describe('the request for a provider', () => {
  const problems = (wish: object) =>
    createProviderBody
      .safeParse({ provider_id: 'idp', name: 'n', client_id: 'c', ...idp, ...wish })
      .error?.issues.map(({ path }) => path.join('.')) ?? [];

  const wrong: [wish: object, path: string][] = [
    [{ provider_id: 'a b' }, 'provider_id'],
    [{ provider_id: 'x'.repeat(129) }, 'provider_id'],
    [{ auth_url: 'https://user:password@idp.example' }, 'auth_url'],
    [{ auth_url: 'ftp://idp.example' }, 'auth_url'],
    [{ token_url: 'https://idp.example/#a' }, 'token_url'],
    [{ token_url: 'https://idp.example/ a' }, 'token_url'],
    [{ allowed_redirect_uris: ['https://a.example/#f'] }, 'allowed_redirect_uris.0'],
    [{ allowed_redirect_uris: ['javascript:alert(1)'] }, 'allowed_redirect_uris.0'],
    [{ code_challenge_method: 'plain' }, 'code_challenge_method'],
    [{ token_endpoint_auth_method: 'private_key_jwt' }, 'token_endpoint_auth_method'],
    [{ client_secret: 'über' }, 'client_secret'],
    ...[
      ...['client_id', 'redirect_uri', 'state', 'response_type', 'scope', 'request', 'request_uri'],
      ...['code_challenge', 'code_challenge_method', 'response_mode', 'resource'],
    ].map((key): [object, string] => [
      { authorization_params: { [key]: 'x' } },
      `authorization_params.${key}`,
    ]),
  ];
  it.each(wrong)('%j is refused', (wish, path) => {
    expect(problems(wish)).toEqual([path]);
  });

  it('says no to PKCE in vain without a client secret', () => {
    expect(problems({ uses_pkce: false })).toEqual(['uses_pkce']);
    expect(problems({ uses_pkce: false, client_secret: 's' })).toEqual([]);
  });

  it('may leave out everything that has a default, with null too', () => {
    const optional = ['client_secret', 'uses_pkce', 'code_challenge_method', 'provider_type', 'user_binding'];
    expect(problems({})).toEqual([]);
    expect(problems(Object.fromEntries(optional.map((name) => [name, null])))).toEqual([]);
  });
});
