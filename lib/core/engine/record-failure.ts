import { write } from '../../store/dynamodb/write.ts';
import type { Outcome } from '../items/parts.ts';
import type { EngineDeps, Loaded } from './load.ts';
import { recordFailureWrite } from './transactions/outcomes.ts';

/**
 * Records that a stage of the revision in the slot has failed, unless it has moved on, got an outcome or was
 * interrupted since it was read.
 */
export async function recordFailure(
  deps: Pick<EngineDeps, 'table'>,
  { slotRevision }: Pick<Loaded, 'slotRevision'>,
  stage: Outcome['stage'],
  message: string,
): Promise<void> {
  if (slotRevision === undefined) return;
  await write(deps.table, recordFailureWrite(slotRevision, { stage, result: 'failed', message }));
}
