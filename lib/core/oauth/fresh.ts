import { refuse } from '../../contract/errors.ts';
import type { Deps } from '../deps.ts';
import type { OAuthProvider } from '../items/oauth-providers.ts';
import type { OAuthToken } from '../items/oauth-token-shapes.ts';
import { TookTooLong, within } from '../within.ts';
import { refreshed, Unrefreshed } from './refresh.ts';
import { openTokens } from './sealed-tokens.ts';
import { isDue, isValid, needsConsent } from './token-rules.ts';

export type FreshDeps = Pick<Deps, 'table' | 'clock' | 'keys' | 'oauth'>;
export type FreshToken = { accessToken: string; expiresAt: number | undefined; token: OAuthToken };

/** Clients give up after 5 s, and the rest of a request takes some of that. */
const PATIENCE_MILLISECONDS = 4_000;

/**
 * An access token that can be used, refreshed ahead of its end; `expiresAt` in epoch milliseconds. A refresh
 * that has not ended in 4 s, or failed for now, gives the stored one while that is valid, and goes on behind
 * the answer. Throws `token_expired` when only a new consent helps, `provider_unavailable` when the provider
 * has to be asked and does not answer.
 */
export async function freshAccessToken(
  deps: FreshDeps,
  token: OAuthToken,
  provider: OAuthProvider,
): Promise<FreshToken> {
  const now = deps.clock.now();
  if (needsConsent(token, provider, now)) throw tokenExpired(token);
  if (!isDue(token, now)) return opened(deps, token);
  const newer = await inTime(deps, refreshed(deps, token, provider));
  if (newer === undefined) return storedInstead(deps, token);
  if (needsConsent(newer, provider, deps.clock.now())) throw tokenExpired(newer);
  return opened(deps, newer);
}

const tokenExpired = ({ provider_id: providerId }: OAuthToken) => refuse('token_expired', { providerId });

/** What the refresh came to; undefined when it did not in time, or not now. */
function inTime({ clock }: Pick<Deps, 'clock'>, work: Promise<OAuthToken>): Promise<OAuthToken | undefined> {
  return within(clock, PATIENCE_MILLISECONDS, 'a refresh', work).catch((error: unknown) => {
    if (error instanceof TookTooLong || error instanceof Unrefreshed) return undefined;
    throw error;
  });
}

async function storedInstead(deps: FreshDeps, token: OAuthToken): Promise<FreshToken> {
  if (isValid(token, deps.clock.now())) return opened(deps, token);
  throw refuse('provider_unavailable', { providerId: token.provider_id });
}

async function opened(deps: FreshDeps, token: OAuthToken): Promise<FreshToken> {
  const { access_token } = await openTokens(deps, { ...token, token_id: token.id });
  return { accessToken: access_token, expiresAt: token.expires_at, token };
}
