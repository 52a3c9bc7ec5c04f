import type { OAuthServer } from '../../adapters/oauth.ts';
import type { Deps } from '../../core/deps.ts';
import type { OAuthProvider } from '../../core/items/oauth-providers.ts';

type Found = Pick<OAuthProvider, 'issuer' | 'revocation_url' | 'iss_in_response'>;

/** The request that asks for it answers within five seconds. */
const DISCOVERY_MILLISECONDS_MAX = 2_500;

/**
 * What the server publishes of itself, as it is kept; nothing when it publishes nothing, or does not answer
 * in time.
 */
export async function discovered(
  { oauthDiscovery }: Pick<Deps, 'oauthDiscovery'>,
  { auth_url: authUrl, token_url: tokenUrl }: Pick<OAuthProvider, 'auth_url' | 'token_url'>,
): Promise<Found> {
  const signal = AbortSignal.timeout(DISCOVERY_MILLISECONDS_MAX);
  const server = await oauthDiscovery.discover({ authUrl, tokenUrl }, signal);
  return server === undefined ? {} : knownOf(server);
}

export const knownOf = ({ issuer, revocationUrl, issInResponse }: OAuthServer): Found => ({
  ...(issuer !== undefined && { issuer }),
  ...(revocationUrl !== undefined && { revocation_url: revocationUrl }),
  ...(issInResponse !== undefined && { iss_in_response: issInResponse }),
});
