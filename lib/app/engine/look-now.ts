import type { RevisionRef } from '../../adapters/workflow.ts';
import { equals, present, update } from '../../store/expressions.ts';
import { revisionKeyOf } from '../../store/keys.ts';
import { ConditionsFailed, transact } from '../../store/operations.ts';
import type { Deps } from '../deps.ts';

/**
 * Makes the next sweep look at a revision: its execution ended in a way that Finish did not see. Harmless for a revision that has ended or
 * is gone, and when repeated.
 */
export async function lookNow(deps: Pick<Deps, 'table' | 'clock'>, ref: RevisionRef): Promise<void> {
  try {
    await transact(deps.table, [
      update(
        'revision',
        revisionKeyOf(ref),
        { set: { due_at: deps.clock.now() } },
        equals('id', ref.revisionId),
        // Only what is in flight is in the index.
        present('due_pk'),
      ),
    ]);
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
  }
}
