import type { TokenEndpointResponse } from 'oauth4webapi';
import type { TokenAnswer } from '../../oauth.ts';
import { hostile } from './failures.ts';

/** Longer ones do not fit an item of the table beside the rest. */
const TOKEN_LENGTH_MAX = 16 * 1024;
const LABEL_LENGTH_MAX = 256;
/** Ten years: what is said to last longer is looked at again then. Larger numbers are no dates any more. */
const LIFETIME_SECONDS_MAX = 10 * 365 * 86_400;

/** The answer in the form of RFC 6749, whose members some servers send as null, and `scope` as a list. */
export function inStandardForm({ scope, ...body }: Record<string, unknown>): Record<string, unknown> {
  const given = Object.entries({ ...body, scope: Array.isArray(scope) ? scope.join(' ') : scope });
  return Object.fromEntries(given.filter(([, value]) => value !== null && value !== undefined));
}

/** What is kept of a token endpoint's answer. Throws OAuthError for tokens that cannot be kept. */
export function tokenAnswer(tokens: TokenEndpointResponse, idToken: unknown): TokenAnswer {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: expires, scope } = tokens;
  if (accessToken.length > TOKEN_LENGTH_MAX || (refreshToken?.length ?? 0) > TOKEN_LENGTH_MAX)
    throw hostile('a token that is too long');
  const accountLabel = labelIn(idToken);
  return {
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(expires !== undefined && { expiresInSeconds: Math.min(expires, LIFETIME_SECONDS_MAX) }),
    ...(scope !== undefined && scope.trim() !== '' && { scopes: scope.trim().split(/[ ,]+/) }),
    ...(accountLabel !== undefined && { accountLabel }),
  };
}

/**
 * The name of an account in an ID token. It came from the token endpoint itself over TLS, and is shown to
 * people only: nobody is identified by it, so its signature is not looked at.
 */
function labelIn(idToken: unknown): string | undefined {
  if (typeof idToken !== 'string') return undefined;
  try {
    const [, payload = ''] = idToken.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    const found = [claims.email, claims.preferred_username, claims.name].find(
      (claim) => typeof claim === 'string' && /^\P{Cc}+$/u.test(claim) && claim.length <= LABEL_LENGTH_MAX,
    );
    return typeof found === 'string' ? found : undefined;
  } catch {
    return undefined;
  }
}
