import type { BuildControl } from '../../adapters/builds.ts';
import type { RevisionRef } from '../../adapters/workflow.ts';
import { isTerminal } from '../../domain/transitions.ts';
import { write } from '../../store/dynamodb/write.ts';
import type { Revision } from '../../store/engine/items.ts';
import { findRevisionByNumber } from '../../store/engine/revisions.ts';
import { endLooks, lookAtEndedAgain } from '../../store/engine/transactions/looks.ts';
import type { Deps } from '../deps.ts';
import { tellOfEnded } from '../events/publish.ts';

type LookDeps = Pick<Deps, 'table' | 'clock' | 'events'> & { builds: BuildControl };

/**
 * Looks at a revision that has ended: stops its build, and looks again until it has seen it stopped; then tells what was never told of it, for
 * the stream may have lost it. Nothing to do for a revision that has not ended.
 */
export async function lookAtEnded(
  deps: LookDeps,
  owner: Omit<RevisionRef, 'revisionId'>,
  number: number,
): Promise<void> {
  const revision = await findRevisionByNumber(deps.table, owner, number);
  if (revision === undefined || !isTerminal(revision.status) || revision.due_at === undefined) return;
  const build = await stopBuild(deps, revision);
  if (build !== 'over') {
    await write(deps.table, lookAtEndedAgain(revision, build === 'absent', deps.clock.now()));
    return;
  }
  await tellOfEnded(deps, owner, revision);
  await write(deps.table, endLooks(revision));
}

/** `absent` may be said of a build that was started just now: it is believed when it is said again. */
async function stopBuild(
  { builds }: LookDeps,
  { build_id: buildId, build_absent_since: absentSince, outcome, history }: Revision,
): Promise<'over' | 'stopping' | 'absent'> {
  const leftIt = outcome?.stage === 'build' || history.some(({ status }) => status === 'AWAITING_DEPLOY');
  if (buildId === undefined || leftIt) return 'over';
  const { state } = await builds.state(buildId);
  if (state === 'absent' && absentSince === undefined) return 'absent';
  if (state !== 'waiting' && state !== 'running') return 'over';
  await builds.stop(buildId);
  return 'stopping';
}
