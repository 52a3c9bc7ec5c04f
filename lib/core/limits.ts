import { refuse } from '../contract/errors.ts';
import {
  type CountOwner,
  countAll,
  countOneWithin,
  findResourceCount,
  RESOURCE_COUNT,
  recount,
  type StoredCount,
} from '../store/counts.ts';
import { ConditionsFailed, retryRaces, type Write } from '../store/dynamodb/transact.ts';
import type { Deps, Settings } from './deps.ts';

export type LimitDeps = Pick<Deps, 'table' | 'clock'> & { settings: Pick<Settings, 'limits'> };

/** Whether a transaction was not made for nothing but the count in it: `withinLimit` has to hear of that. */
export const isFullAlone = (error: unknown): boolean =>
  error instanceof ConditionsFailed && error.failed.size === 1 && error.failed.has(RESOURCE_COUNT);

/**
 * Makes one more of a kind, unless its owner has as many as they may have. `make` makes the transaction with
 * the write that counts it, and lets an error that `isFullAlone` pass. Before anybody is refused all are
 * counted, so a count that is wrong, or of a tenant from before there were counts, is put right here. Throws
 * `limit_reached`.
 */
export async function withinLimit<T>(
  deps: LimitDeps,
  owner: CountOwner,
  kind: StoredCount,
  make: (counted: Write) => Promise<T>,
): Promise<T> {
  const limit = deps.settings.limits[kind];
  try {
    return await make(countOneWithin(owner, kind, limit));
  } catch (error) {
    if (!isFullAlone(error)) throw error;
  }
  return retryRaces(deps.table, async () => {
    // Read before they are counted: what is made or removed meanwhile changes it.
    const before = await findResourceCount(deps.table, owner, kind);
    // Somebody has counted meanwhile: of many at once only the first has to.
    if (before?.counted_at !== undefined && before.count < limit)
      return make(countOneWithin(owner, kind, limit));
    const count = await countAll(deps.table, owner, kind);
    if (count >= limit) throw refuse('limit_reached', { kind, count, limit });
    return make(recount(owner, kind, before, { count: count + 1, now: deps.clock.now() }));
  });
}
