import type { RevisionRef } from '../../adapters/workflow.ts';
import { type EndDeps, endRevision } from '../engine/end-revision.ts';

/** What a state that failed leaves in the execution's data. */
export type FinishInput = RevisionRef & { error?: { Error?: string; Cause?: string } };

/** The last state: writes the terminal status by the facts on the revision, and frees the slot. Harmless when repeated. */
export async function finishRevision(deps: EndDeps, input: FinishInput): Promise<void> {
  await endRevision(deps, input, causeOf(input.error));
}

/** Names the error only: a cause may hold anything, and the facts on the revision say what a person needs. */
function causeOf(error: FinishInput['error']): string | undefined {
  return error?.Error === undefined || error.Error === 'StepRefused' ? undefined : error.Error;
}
