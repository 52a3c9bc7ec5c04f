import { ConditionsFailed, transact, type Write } from '../../store/dynamodb/transact.ts';
import type { Deps } from '../deps.ts';
import type { OAuthToken } from '../items/oauth-token-shapes.ts';
import {
  pauseTokenLease,
  storeExpiredToken,
  storeRefreshedToken,
  takeTokenLease,
} from '../items/oauth-tokens.ts';

type LeaseDeps = Pick<Deps, 'table' | 'clock'>;

/**
 * Longer than a call to a provider and the storing of its answer may take: after an expired lease, no call is
 * still under way.
 */
const LEASE_MILLISECONDS = 25_000;
/** The pause after a failure, so that many waiting requests do not each call the provider. */
const FAILED_MILLISECONDS = 2_000;

/**
 * `held`: a call to the provider is under way; `failing`: the last call failed just now; `free`: any request
 * may take the lease.
 */
export function leaseStateOf(
  { lease_id, lease_until }: OAuthToken,
  now: number,
): 'free' | 'held' | 'failing' {
  if (lease_until === undefined || lease_until <= now) return 'free';
  return lease_id === undefined ? 'failing' : 'held';
}

/**
 * Takes the lease on a token that is still as it was read, and gives its id; undefined when somebody was
 * quicker.
 */
export async function takeLease(deps: LeaseDeps, token: OAuthToken): Promise<string | undefined> {
  const id = deps.clock.randomId();
  const until = deps.clock.now() + LEASE_MILLISECONDS;
  return (await written(deps, takeTokenLease(token, { id, until }))) ? id : undefined;
}

/**
 * Stores what a refresh gave and ends the lease; false when the token is gone or was granted anew meanwhile.
 */
export const releaseWith = (deps: LeaseDeps, next: OAuthToken, leaseId: string): Promise<boolean> =>
  written(deps, storeRefreshedToken(next, leaseId));

/** The provider takes the grant no more. Gives the token as it is now; undefined as above. */
export async function releaseAsExpired(
  deps: LeaseDeps,
  token: OAuthToken,
  leaseId: string,
): Promise<OAuthToken | undefined> {
  const updated_at = new Date(deps.clock.now()).toISOString();
  const next = { ...token, status: 'expired' as const, version: token.version + 1, updated_at };
  return (await written(deps, storeExpiredToken(next, leaseId))) ? next : undefined;
}

/** The grant stays as it was. */
export async function releaseAsFailed(
  deps: LeaseDeps,
  token: OAuthToken,
  leaseId: string,
): Promise<OAuthToken | undefined> {
  const until = deps.clock.now() + FAILED_MILLISECONDS;
  return (await written(deps, pauseTokenLease(token, leaseId, until))) ? token : undefined;
}

async function written({ table }: LeaseDeps, write: Write): Promise<boolean> {
  try {
    // A transaction, for its token: a stored grant whose answer was lost must not be revoked as one that
    // nobody holds.
    await transact(table, [write]);
    return true;
  } catch (error) {
    if (error instanceof ConditionsFailed) return false;
    throw error;
  }
}
