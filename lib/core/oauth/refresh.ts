import { OAuthError, type TokenAnswer } from '../../adapters/oauth.ts';
import { refuse } from '../../contract/errors.ts';
import { patienceOf, persistently } from '../../store/dynamodb/patience.ts';
import { write } from '../../store/dynamodb/write.ts';
import type { Deps } from '../deps.ts';
import type { OAuthProvider } from '../items/oauth-providers.ts';
import { keepRevocation, revocationOf } from '../items/oauth-revocations.ts';
import type { OAuthToken } from '../items/oauth-token-shapes.ts';
import { findTokenAgain } from '../items/oauth-tokens.ts';
import { clientOf } from './client.ts';
import { leaseStateOf, releaseAsExpired, releaseAsFailed, releaseWith, takeLease } from './lease.ts';
import { openTokens, sealTokens } from './sealed-tokens.ts';
import { isDue, isValid, lifetimeOf, needsConsent } from './token-rules.ts';

export type RefreshDeps = Pick<Deps, 'table' | 'clock' | 'keys' | 'oauth'>;

/** The token could not be refreshed now; the grant is as good as it was. */
export class Unrefreshed extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Unrefreshed';
  }
}

/**
 * A provider that takes longer has most likely not heard. Longer than anybody waits: the answer to a request
 * that was heard must not be lost.
 */
const CALL_MILLISECONDS_MAX = 10_000;
/** Who waits for another one's refresh gives up with the request it waits for. */
const WAIT_MILLISECONDS_MAX = 5_000;
/** What is valid for longer than this is given without waiting for who refreshes it. */
const WORTH_WAITING_MILLISECONDS = 10_000;
const POLL_MILLISECONDS = { least: 50, most: 200 } as const;

/**
 * The token after one refresh, however many ask for it at once: whoever takes the lease on it asks the
 * provider, the others look for what came of that. A lease lasts longer than the call may, so no refresh
 * token is ever on its way twice. The token comes back as it is when it needs no refresh any more, or needs
 * consent now. Throws Unrefreshed.
 */
export async function refreshed(
  deps: RefreshDeps,
  seen: OAuthToken,
  provider: OAuthProvider,
): Promise<OAuthToken> {
  const patience = patienceOf(deps.table);
  const begunAt = patience.now();
  let wait: number = POLL_MILLISECONDS.least;
  for (let token = seen; ; token = await current(deps, token)) {
    const now = deps.clock.now();
    if (needsConsent(token, provider, now) || !isDue(token, now)) return token;
    const lease = leaseStateOf(token, now);
    if (lease === 'failing') throw new Unrefreshed('a moment ago it could not be refreshed');
    if (lease === 'held' && isValid(token, now + WORTH_WAITING_MILLISECONDS))
      throw new Unrefreshed('somebody refreshes it, and it is good for a while yet');
    const leaseId = lease === 'free' ? await takeLease(deps, token) : undefined;
    if (leaseId !== undefined) return refreshHeld(deps, token, provider, leaseId);
    if (patience.now() - begunAt > WAIT_MILLISECONDS_MAX)
      throw new Unrefreshed('another refresh of it has not ended');
    await patience.pause(wait);
    wait = Math.min(POLL_MILLISECONDS.most, wait * 2);
  }
}

async function current({ table }: RefreshDeps, token: OAuthToken): Promise<OAuthToken> {
  const found = await findTokenAgain(table, token);
  if (found === undefined) throw refuse('oauth_token_not_found', { id: token.id });
  return found;
}

async function refreshHeld(
  deps: RefreshDeps,
  token: OAuthToken,
  provider: OAuthProvider,
  leaseId: string,
): Promise<OAuthToken> {
  let sealed: { answer: TokenAnswer; tokens: string };
  try {
    sealed = await ask(deps, token, provider);
  } catch (error) {
    return failed(deps, token, leaseId, error);
  }
  return keep(deps, token, leaseId, sealed);
}

/**
 * Asks the provider, and seals what it gives: a new refresh token that is not stored is lost, and the grant
 * with it.
 */
async function ask(
  deps: RefreshDeps,
  token: OAuthToken,
  provider: OAuthProvider,
): Promise<{ answer: TokenAnswer; tokens: string }> {
  const place = { tenant_id: token.tenant_id, token_id: token.id };
  const { refresh_token: old = '' } = await openTokens(deps, { ...place, sealed: token.sealed });
  const client = await clientOf(deps, provider);
  const answer = await deps.oauth.refresh(client, old, AbortSignal.timeout(CALL_MILLISECONDS_MAX));
  const given = { access_token: answer.accessToken, refresh_token: answer.refreshToken ?? old };
  return { answer, tokens: await persistently(deps.table, () => sealTokens(deps, place, given)) };
}

/**
 * Marks a grant that the provider no longer accepts. Any other failure leaves the grant as it was and delays
 * the next attempt.
 */
async function failed(
  deps: RefreshDeps,
  token: OAuthToken,
  leaseId: string,
  error: unknown,
): Promise<OAuthToken> {
  const isEnded = error instanceof OAuthError && error.kind === 'invalid_grant';
  const release = isEnded ? releaseAsExpired : releaseAsFailed;
  const released = await release(deps, token, leaseId);
  // What has replaced it meanwhile is judged anew.
  if (isEnded || released === undefined) return released ?? current(deps, token);
  if (error instanceof OAuthError) throw new Unrefreshed(error.message);
  throw error;
}

async function keep(
  deps: RefreshDeps,
  token: OAuthToken,
  leaseId: string,
  { answer, tokens }: { answer: TokenAnswer; tokens: string },
): Promise<OAuthToken> {
  const now = deps.clock.now();
  const { expires_at: _, refresh_from: __, lease_id: ___, lease_until: ____, ...rest } = token;
  const next: OAuthToken = {
    ...rest,
    sealed: tokens,
    ...(answer.scopes !== undefined && { scopes: answer.scopes }),
    ...lifetimeOf(answer, true, now),
    version: token.version + 1,
    updated_at: new Date(now).toISOString(),
  };
  const kept = await persistently(deps.table, () => releaseWith(deps, next, leaseId));
  if (kept) return next;
  try {
    return await current(deps, token);
  } catch (error) {
    await revokeLater(deps, next);
    throw error;
  }
}

/** The token was deleted while its refresh was under way: what came of that is in nobody's hands. */
function revokeLater({ table, clock }: RefreshDeps, token: OAuthToken): Promise<void> {
  return write(table, keepRevocation(revocationOf(token, { id: clock.orderedId(), now: clock.now() })));
}
