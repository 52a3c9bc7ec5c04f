import { type Change, equals, same, update } from '../../../store/expressions.ts';
import { keyOfToken, type OAuthToken } from '../../../store/oauth-tokens.ts';
import { ConditionsFailed, transact } from '../../../store/operations.ts';
import type { Deps } from '../../deps.ts';

type LeaseDeps = Pick<Deps, 'table' | 'clock'>;

/** Longer than a call to a provider may take, with the storing of its answer: whoever finds it over can be sure that nobody is still asking. */
const LEASE_MILLISECONDS = 25_000;
/** After a failure nobody asks again for so long: what many wait for must not be asked once for each of them. */
const FAILED_MILLISECONDS = 2_000;

/** `held`: somebody asks the provider; `failing`: it failed just now; `free`: whoever needs the token may take it. */
export function leaseOf({ lease_id, lease_until }: OAuthToken, now: number): 'free' | 'held' | 'failing' {
  if (lease_until === undefined || lease_until <= now) return 'free';
  return lease_id === undefined ? 'failing' : 'held';
}

/** Takes the lease on a token that is still as it was read, and gives its id; undefined when somebody was quicker. */
export async function takeLease(deps: LeaseDeps, token: OAuthToken): Promise<string | undefined> {
  const leaseId = deps.clock.randomId();
  const taken = await written(
    deps,
    token,
    { set: { lease_id: leaseId, lease_until: deps.clock.now() + LEASE_MILLISECONDS } },
    [
      equals('version', token.version),
      same('lease_id', token.lease_id),
      same('lease_until', token.lease_until),
    ],
  );
  return taken ? leaseId : undefined;
}

/** Stores what a refresh gave and ends the lease; false when the token is gone or was granted anew meanwhile. */
export const releaseWith = (deps: LeaseDeps, next: OAuthToken, leaseId: string): Promise<boolean> => {
  const { sealed, scopes, expires_at, refresh_from, version, updated_at } = next;
  const gone = (['expires_at', 'refresh_from'] as const).filter((name) => next[name] === undefined);
  const change = {
    set: { sealed, scopes, expires_at, refresh_from, version, updated_at },
    remove: [...gone, 'lease_id', 'lease_until'],
  };
  return written(deps, next, change, [equals('lease_id', leaseId)]);
};

/** The provider takes the grant no more. Gives the token as it is now; undefined as above. */
export async function releaseAsExpired(
  deps: LeaseDeps,
  token: OAuthToken,
  leaseId: string,
): Promise<OAuthToken | undefined> {
  const set = {
    status: 'expired' as const,
    version: token.version + 1,
    updated_at: new Date(deps.clock.now()).toISOString(),
  };
  const change = { set, remove: ['lease_id', 'lease_until'] };
  return (await written(deps, token, change, [equals('lease_id', leaseId)]))
    ? { ...token, ...set }
    : undefined;
}

/** The grant stays as it was. */
export async function releaseAsFailed(
  deps: LeaseDeps,
  token: OAuthToken,
  leaseId: string,
): Promise<OAuthToken | undefined> {
  const change = { set: { lease_until: deps.clock.now() + FAILED_MILLISECONDS }, remove: ['lease_id'] };
  return (await written(deps, token, change, [equals('lease_id', leaseId)])) ? token : undefined;
}

async function written(
  { table }: LeaseDeps,
  token: OAuthToken,
  change: Change,
  when: Parameters<typeof update>[3][],
): Promise<boolean> {
  try {
    await transact(table, [update('oauth_token', keyOfToken(token), change, ...when)]);
    return true;
  } catch (error) {
    if (error instanceof ConditionsFailed) return false;
    throw error;
  }
}
