import { equals, guard } from '../../store/expressions.ts';
import type { Outcome } from '../../store/items.ts';
import { refOf, revise, sameOutcome } from '../../store/revisions.ts';
import { write } from '../../store/write.ts';
import type { EngineDeps, Loaded } from './situation.ts';

/** Records that a stage of the revision in the slot has failed, unless it has moved on or got an outcome since it was read. */
export async function recordFailure(
  deps: EngineDeps,
  { slotRevision }: Loaded,
  stage: Outcome['stage'],
  message: string,
): Promise<void> {
  if (slotRevision === undefined) return;
  const outcome: Outcome = { stage, result: 'failed', message };
  await write(
    deps.table,
    revise(
      refOf(slotRevision),
      { set: { outcome } },
      guard('transition: status as read', equals('status', slotRevision.status)),
      sameOutcome(slotRevision),
    ),
  );
}
