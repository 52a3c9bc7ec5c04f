import type { RevisionRef } from '../../contract/refs.ts';
import { ConditionsFailed } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import type { Deps } from '../deps.ts';
import { lookNow } from './transactions/looks.ts';

/**
 * Makes the next sweep look at a revision: its execution ended in a way that Finish did not see. Harmless for
 * a revision that has ended or is gone, and when repeated.
 */
export async function requeue(deps: Pick<Deps, 'table' | 'clock'>, ref: RevisionRef): Promise<void> {
  try {
    await write(deps.table, lookNow(ref, deps.clock.now()));
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
  }
}
