import type { BuildChanged, BuildControl, BuildState } from '../../adapters/builds.ts';
import { isAbsentForSure } from '../../domain/decide.ts';
import { stageOf } from '../../domain/transitions.ts';
import { absent, type Change, guard, same } from '../../store/expressions.ts';
import type { Outcome, Revision } from '../../store/items.ts';
import { retryRaces } from '../../store/operations.ts';
import { findRevision, move } from '../../store/revisions.ts';
import { write } from '../../store/write.ts';
import type { Deps } from '../deps.ts';
import { attemptOf } from './ask.ts';

type RecordDeps = Pick<Deps, 'table' | 'clock'> & { builds: BuildControl };

/**
 * Looks at a build that is said to have changed, and records what it finds on the revision: BUILDING when it runs, its outcome when it
 * ended. Dispatch acts on the record. Harmless when repeated or late. A build may end while its start is still being recorded: then it is
 * looked at again, for nobody else may look for a minute. A build that the revision does not wait for is stopped.
 */
export function recordBuild(deps: RecordDeps, { buildId, ref }: BuildChanged): Promise<void> {
  return retryRaces(deps.table, async () => {
    const [state, revision] = await Promise.all([deps.builds.state(buildId), findRevision(deps.table, ref)]);
    if (revision === undefined || !isAwaited(revision, buildId)) return stopStray(deps, buildId, state);
    if (revision.outcome !== undefined || revision.interrupt_requested_at !== undefined) return;
    const change = changeFor(revision, buildId, state, deps.clock.now());
    if (change === undefined) return;
    const unless = [
      guard('outcome: none is recorded', absent('outcome')),
      guard('interrupt: none is asked for', absent('interrupt_requested_at')),
      guard('build: as read', same('build_id', revision.build_id)),
      guard('attempt: as read', same('attempt', revision.attempt)),
    ];
    await write(deps.table, move(revision, change.status, deps.clock.now(), change.change, ...unless));
  });
}

/** Until its start is recorded a build is known by its event alone; one that was given up for lost is never taken back. */
const isAwaited = (revision: Revision, buildId: string): boolean =>
  stageOf(revision.status) === 'build' &&
  (revision.build_id ?? buildId) === buildId &&
  revision.lost_build?.id !== buildId;

async function stopStray({ builds }: RecordDeps, buildId: string, { state }: BuildState): Promise<void> {
  if (state === 'waiting' || state === 'running') await builds.stop(buildId);
}

type Recorded = { status: Revision['status']; change: Change };

function changeFor(
  revision: Revision,
  buildId: string,
  state: BuildState,
  now: number,
): Recorded | undefined {
  switch (state.state) {
    case 'waiting':
      return undefined;
    case 'running':
      return revision.status === 'AWAITING_BUILD' ? { status: 'BUILDING', change: {} } : undefined;
    case 'succeeded': {
      const outcome: Outcome = { stage: 'build', result: 'succeeded' };
      const set = { outcome, artifact: state.artifact, 'revision_config.repo_commit_sha': state.commitSha };
      return { status: 'BUILDING', change: { set } };
    }
    case 'failed':
      return failed(revision, state.message);
    case 'stopped':
      return failed(revision, revision.stop_reason ?? 'The build was stopped.');
    case 'lost':
      return lost(revision, buildId);
    case 'absent':
      return isAbsentForSure(revision.build_absent_since, now) ? lost(revision, buildId) : undefined;
  }
}

/** Moving to where it is already writes the outcome alone. */
const failed = (revision: Revision, message: string): Recorded => ({
  status: revision.status,
  change: { set: { outcome: { stage: 'build', result: 'failed', message } satisfies Outcome } },
});

/** No fault of the source: it is built again, by the next attempt of the execution. */
const lost = (revision: Revision, buildId: string): Recorded => ({
  status: revision.status,
  change: {
    set: {
      builds_lost: (revision.builds_lost ?? 0) + 1,
      lost_build: { id: buildId, attempt: attemptOf(revision) },
    },
    remove: ['build_id', 'build_due_at', 'build_absent_since'],
  },
});
