import { createHash } from 'node:crypto';
import { refuse } from '../../contract/errors.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { networkOf } from '../../core/identity/network.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import { countWithin, uncount } from './store.ts';

/** How long codes are good, and what is counted is remembered. */
export const LOGIN_MILLISECONDS = 600_000;
/** Many people may share one address. */
export const LOGINS_OF_ADDRESS_MAX = 30;
/** Anybody may begin a login, from any number of addresses. */
export const LOGINS_MAX = 1000;
/** Nobody mistypes a code of eight letters more often. */
export const TRIES_MAX = 5;

type LimitDeps = Pick<Deps, 'table' | 'clock'>;

const ofWhom = (kind: string, who: string): string =>
  `${kind}#${createHash('sha256').update(who).digest('hex')}`;

/** Counts a login that begins. Throws `too_many_logins`. */
export async function countLogin(deps: LimitDeps, sourceAddress: string): Promise<void> {
  const now = deps.clock.now();
  const within = { now, milliseconds: LOGIN_MILLISECONDS };
  // The address first: one that has begun too many takes nothing from others.
  const ofAddress = ofWhom('ADDRESS', networkOf(sourceAddress));
  const isCounted =
    (await countWithin(deps.table, ofAddress, { ...within, limit: LOGINS_OF_ADDRESS_MAX })) &&
    (await countWithin(deps.table, 'ALL', { ...within, limit: LOGINS_MAX }));
  if (!isCounted) throw refuse('too_many_logins', {});
}

/**
 * Does what somebody has typed a code for. Tries are counted by person, before the code is looked at: neither
 * many requests at once nor many sessions give more of them, and nobody's mistakes spend a code of somebody
 * else's. One that was right is no try. Throws `too_many_tries`.
 */
export async function countingTries<T>(
  deps: LimitDeps,
  { organizationId, userId }: Pick<Caller, 'organizationId' | 'userId'>,
  find: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const now = deps.clock.now();
  const of = ofWhom('TRIES', `${organizationId} ${userId}`);
  const within = { now, milliseconds: LOGIN_MILLISECONDS, limit: TRIES_MAX };
  if (!(await countWithin(deps.table, of, within))) throw refuse('too_many_tries', { limit: TRIES_MAX });
  const found = await find();
  if (found !== undefined)
    await transact(deps.table, [uncount(of)]).catch((error: unknown) => {
      // Forgotten meanwhile.
      if (!(error instanceof ConditionsFailed)) throw error;
    });
  return found;
}
