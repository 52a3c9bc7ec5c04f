import type { TokenAnswer } from '../../adapters/oauth.ts';
import type { OAuthProvider } from '../items/oauth-providers.ts';
import type { OAuthToken } from '../items/oauth-token-shapes.ts';

/** So long before its end an access token is refreshed: who was given one must have time to use it. */
const AHEAD_MILLISECONDS_MAX = 120_000;
/** For a short-lived token: the last fifth of its lifetime. */
const AHEAD_PART = 0.2;

/**
 * When an access token ends that came now, and from when on it is refreshed, in epoch milliseconds; empty
 * when the provider does not say.
 */
export function lifetimeOf(
  { expiresInSeconds }: Pick<TokenAnswer, 'expiresInSeconds'>,
  hasRefreshToken: boolean,
  now: number,
): { expires_at?: number; refresh_from?: number } {
  if (expiresInSeconds === undefined) return {};
  const lifetime = Math.max(0, expiresInSeconds) * 1000;
  const ahead = hasRefreshToken ? Math.min(AHEAD_MILLISECONDS_MAX, lifetime * AHEAD_PART) : 0;
  return { expires_at: now + lifetime, refresh_from: Math.round(now + lifetime - ahead) };
}

export const isDue = ({ refresh_from }: OAuthToken, now: number): boolean =>
  refresh_from !== undefined && refresh_from <= now;

/** Whether the access token that is stored can still be used. */
export const isValid = ({ status, expires_at }: OAuthToken, now: number): boolean =>
  status === 'active' && (expires_at === undefined || expires_at > now);

/** Whether this provider is still the one that gave the grant; no other server is sent a token of it. */
export const isFrom = (
  grant: Pick<OAuthToken, 'provider_uid' | 'token_url'>,
  provider: OAuthProvider,
): boolean => grant.provider_uid === provider.id && grant.token_url === provider.token_url;

/** Whether only a new consent of the person helps. */
export const needsConsent = (token: OAuthToken, provider: OAuthProvider, now: number): boolean =>
  token.status === 'expired' ||
  !isFrom(token, provider) ||
  (!token.has_refresh_token && !isValid(token, now));

export const coversScopes = ({ scopes }: Pick<OAuthToken, 'scopes'>, asked: readonly string[]): boolean =>
  asked.every((scope) => scopes.includes(scope));

/** Whether another token is marked as the default of the same person and agent. */
export const isDefaultBeside = (token: OAuthToken, other: OAuthToken): boolean =>
  other.is_default &&
  other.id !== token.id &&
  other.user_id === token.user_id &&
  other.agent_id === token.agent_id;

/** A time in epoch milliseconds as it is shown. */
export const shownTime = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined ? null : new Date(milliseconds).toISOString();
