import type { RevisionRef } from '../../adapters/workflow.ts';
import { above, guard } from '../../store/expressions.ts';
import { ConditionsFailed } from '../../store/operations.ts';
import { revise } from '../../store/revisions.ts';
import { write } from '../../store/write.ts';
import type { Deps } from '../deps.ts';

/**
 * Makes the next sweep look at a revision: its execution ended in a way that Finish did not see. Harmless for a revision that has ended or
 * is gone, and when repeated.
 */
export async function requeue(deps: Pick<Deps, 'table' | 'clock'>, ref: RevisionRef): Promise<void> {
  const now = deps.clock.now();
  try {
    await write(
      deps.table,
      revise(
        ref,
        { set: { due_at: now } },
        // Only what is in flight is in the index. What is overdue is looked at anyway, and how late that is must not be forgotten.
        guard('look: due later', above('due_at', now)),
      ),
    );
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
  }
}
