import { write } from '../../store/dynamodb/write.ts';
import type { Outcome } from '../../store/engine/outcome-shapes.ts';
import { recordOutcome } from '../../store/engine/transactions/outcomes.ts';
import type { EngineDeps, Loaded } from './situation.ts';

/** Records that a stage of the revision in the slot has failed, unless it has moved on or got an outcome since it was read. */
export async function recordFailure(
  deps: EngineDeps,
  { slotRevision }: Loaded,
  stage: Outcome['stage'],
  message: string,
): Promise<void> {
  if (slotRevision === undefined) return;
  await write(deps.table, recordOutcome(slotRevision, { stage, result: 'failed', message }));
}
