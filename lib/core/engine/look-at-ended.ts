import type { BuildControl } from '../../adapters/builds.ts';
import type { DeploymentRef } from '../../contract/refs.ts';
import { isAbsentForSure } from '../../domain/confirmed.ts';
import { isTerminal } from '../../domain/transitions.ts';
import { write } from '../../store/dynamodb/write.ts';
import type { Deps } from '../deps.ts';
import { publishEnded } from '../events/publish.ts';
import type { Revision } from '../items/items.ts';
import { findRevisionByNumber } from '../items/revisions.ts';
import { endLooks, lookAtEndedAgain } from './transactions/looks.ts';

type LookDeps = Pick<Deps, 'table' | 'clock' | 'events' | 'webhookWaker'> & { builds: BuildControl };

/**
 * Looks at a revision that has ended: stops its build, and looks again until it has seen it stopped; then
 * publishes what was never published of it, for the stream may have lost it. Nothing to do for a revision
 * that has not ended, or is not due yet.
 */
export async function lookAtEnded(deps: LookDeps, owner: DeploymentRef, number: number): Promise<void> {
  const now = deps.clock.now();
  const revision = await findRevisionByNumber(deps.table, owner, number);
  if (revision === undefined || !isTerminal(revision.status)) return;
  // It may have ended a moment ago, in this very sweep.
  if (revision.due_at === undefined || revision.due_at > now) return;
  const build = await stopBuild(deps, revision, now);
  if (build !== 'over') {
    await write(deps.table, lookAtEndedAgain(revision, build === 'absent', now));
    return;
  }
  await publishEnded(deps, owner, revision);
  await write(deps.table, endLooks(revision));
}

/** `absent` may be said of a build that was started just now: it is believed when it is said again. */
async function stopBuild(
  { builds }: LookDeps,
  { build_id: buildId, build_absent_since: absentSince, outcome, history }: Revision,
  now: number,
): Promise<'over' | 'stopping' | 'absent'> {
  const leftIt = outcome?.stage === 'build' || history.some(({ status }) => status === 'AWAITING_DEPLOY');
  if (buildId === undefined || leftIt) return 'over';
  const { state } = await builds.state(buildId);
  if (state === 'absent' && !isAbsentForSure(absentSince, now)) return 'absent';
  if (state !== 'waiting' && state !== 'running') return 'over';
  await builds.stop(buildId);
  return 'stopping';
}
