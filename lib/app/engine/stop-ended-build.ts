import type { RevisionRef } from '../../adapters/workflow.ts';
import { isTerminal } from '../../domain/transitions.ts';
import { findRevisionByNumber, forgetDue, lookAgain } from '../../store/revisions.ts';
import { write } from '../../store/write.ts';
import type { EngineDeps } from './situation.ts';

/**
 * A revision that ended before its build had: stops the build, and looks again until it has seen it stopped. Nothing to do for a revision that
 * has not ended.
 */
export async function stopEndedBuild(
  deps: Pick<EngineDeps, 'table' | 'clock' | 'builds'>,
  owner: Omit<RevisionRef, 'revisionId'>,
  number: number,
): Promise<void> {
  const revision = await findRevisionByNumber(deps.table, owner, number);
  if (revision === undefined || !isTerminal(revision.status) || revision.due_at === undefined) return;
  const { build_id: buildId } = revision;
  const { state } = buildId === undefined ? { state: 'absent' } : await deps.builds.state(buildId);
  const mayRun = state === 'waiting' || state === 'running';
  if (mayRun && buildId !== undefined) await deps.builds.stop(buildId);
  // `absent` may be said of a build that was started just now.
  const isOver = !mayRun && (state !== 'absent' || revision.build_absent_since !== undefined);
  const now = deps.clock.now();
  await write(deps.table, isOver ? forgetDue(revision) : lookAgain(revision, state === 'absent', now));
}
