import { createHash, randomBytes } from 'node:crypto';
import type { Caller } from '../../../lib/core/caller.ts';
import type { Deps } from '../../../lib/core/deps.ts';
import { type OAuthProvider, oauthProviderKey } from '../../../lib/core/items/oauth-providers.ts';
import type { OAuthToken } from '../../../lib/core/items/oauth-token-shapes.ts';
import type { TokenOwner } from '../../../lib/core/items/oauth-tokens.ts';
import { clientOf, sealClientSecret } from '../../../lib/core/oauth/client.ts';
import { keepToken } from '../../../lib/core/oauth/keep.ts';
import { put } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { type TestProvider, testClients } from './provider.ts';

type Asking = { deps: Deps; caller: Caller };

export const REDIRECT_URI = 'http://127.0.0.1:1/callback';

/**
 * Stores a provider of the caller's organization at an authorization server of this machine, as its
 * administrator would.
 */
export async function aStoredProvider(
  { deps, caller }: Asking,
  server: TestProvider,
  changes: Partial<OAuthProvider> = {},
): Promise<OAuthProvider> {
  const organization_id = caller.organizationId;
  const owner = { organization_id, provider_id: 'acme', ...changes };
  const at = new Date(deps.clock.now()).toISOString();
  const item: OAuthProvider = {
    v: 1,
    entity: 'oauth_provider',
    id: deps.clock.randomId(),
    name: 'Acme',
    client_id: testClients.post.client_id,
    auth_url: server.authUrl,
    token_url: server.tokenUrl,
    uses_pkce: true,
    code_challenge_method: 'S256',
    token_endpoint_auth_method: 'client_secret_post',
    authorization_params: {},
    is_dynamic_client: false,
    allowed_redirect_uris: [],
    user_binding: 'browser',
    issuer: server.url,
    revocation_url: server.revocationUrl,
    iss_in_response: true,
    sealed: await sealClientSecret(deps, owner, testClients.post.client_secret),
    version: 1,
    created_at: at,
    updated_at: at,
    created_by: caller.userId,
    ...owner,
  };
  await storeProvider({ deps }, item);
  return item;
}

export const storeProvider = ({ deps }: Pick<Asking, 'deps'>, item: OAuthProvider): Promise<void> =>
  transact(deps.table, [
    put('provider', { ...oauthProviderKey(item.organization_id, item.provider_id), ...item }),
  ]);

type Wish = { scopes?: string[]; tokenId?: string; isDefault?: boolean } & Partial<
  Pick<TokenOwner, 'userId' | 'agentId'>
>;

/** A person consents at the server, and the grant is kept for the caller. */
export async function aGrant(
  { deps, caller }: Asking,
  server: TestProvider,
  provider: OAuthProvider,
  { scopes = ['openid', 'read'], userId, agentId, ...more }: Wish = {},
): Promise<OAuthToken> {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const client = await clientOf(deps, provider);
  const asked = { redirectUri: REDIRECT_URI, scopes, state: 'a-state', challenge, params: {} };
  const back = await server.consent(deps.oauth.authorizationUrl(client, asked));
  const exchanged = { callback: back.searchParams, state: 'a-state', redirectUri: REDIRECT_URI, verifier };
  const answer = await deps.oauth.exchange(client, exchanged, AbortSignal.timeout(20_000));
  const owner = { tenantId: caller.tenantId, ownerId: caller.userId, userId, agentId };
  const { token, writes } = await keepToken(deps, owner, provider, answer, { scopes, ...more });
  await transact(deps.table, writes);
  return token;
}
