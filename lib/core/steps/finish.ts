import type { ExecutionInput } from '../../adapters/workflow.ts';
import { retryRaces } from '../../store/dynamodb/transact.ts';
import { type EndDeps, endRevision } from '../engine/end-revision.ts';
import { markDeath } from '../engine/restart.ts';
import { attemptOf, findRevision } from '../items/revisions.ts';

/** What a state that failed leaves in the execution's data. */
export type FinishInput = ExecutionInput & { error?: { Error?: string; Cause?: string } };

/**
 * The last state: writes the terminal status by the facts on the revision, and frees the slot. A state that
 * failed without an outcome or an interrupt is a crash: the revision does not end, the next attempt takes it
 * up. Harmless when repeated, or when a later attempt is at work.
 */
export async function finishRevision(deps: EndDeps, input: FinishInput): Promise<void> {
  const { error } = input;
  if (error === undefined) return endRevision(deps, input, input.attempt);
  return retryRaces(deps.table, async () => {
    const revision = await findRevision(deps.table, input);
    if (revision === undefined || attemptOf(revision) !== input.attempt) return;
    const { outcome, interrupt_requested_at: interrupted } = revision;
    const isDecided = interrupted !== undefined || (outcome !== undefined && !leavesTheDeploy(outcome));
    if (isDecided) return endRevision(deps, input, input.attempt);
    if (revision.restart?.attempt === input.attempt) return;
    const marked = await markDeath(deps, revision, error.Error ?? 'an unknown error');
    if (marked === 'failed') return endRevision(deps, input, input.attempt);
  });
}

const leavesTheDeploy = ({ stage, result }: { stage: string; result: string }): boolean =>
  stage === 'build' && result === 'succeeded';
