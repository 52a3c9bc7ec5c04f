import type { BuildChanged, BuildControl, BuildState } from '../../adapters/builds.ts';
import { isAbsentForSure } from '../../domain/confirmed.ts';
import { stageOf } from '../../domain/transitions.ts';
import { retryRaces } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import type { Deps, Settings } from '../deps.ts';
import type { Revision } from '../items/items.ts';
import { findRevision } from '../items/revisions.ts';
import { type BuildFact, recordBuildFact } from './transactions/outcomes.ts';

type RecordDeps = Pick<Deps, 'table' | 'clock'> & {
  builds: BuildControl;
  settings: Pick<Settings, 'buildSeconds'>;
};

/**
 * Looks at a build that is said to have changed, and records what it finds on the revision: BUILDING when it
 * runs, its outcome when it ended. Dispatch acts on the record. Harmless when repeated or late. A build may
 * end while its start is still being recorded: then it is looked at again, for nobody else may look for a
 * minute. A build that the revision does not wait for is stopped. `isLook`: nothing has announced a change.
 */
export function recordBuild(
  deps: RecordDeps,
  { buildId, ref }: BuildChanged,
  { isLook = false }: { isLook?: boolean } = {},
): Promise<void> {
  return retryRaces(deps.table, async () => {
    const [state, revision] = await Promise.all([deps.builds.state(buildId), findRevision(deps.table, ref)]);
    if (revision === undefined || !isAwaited(revision, buildId)) return stopStray(deps, buildId, state);
    const now = deps.clock.now();
    const fact = factOf(revision, buildId, state, { now, dueAt: now + deps.settings.buildSeconds * 1000 });
    // Each build waits for some seconds: only one that still does when it is looked at is worth a word.
    if (fact?.kind === 'waiting' && !isLook) return;
    if (fact !== undefined) await write(deps.table, recordBuildFact(revision, fact, now));
  });
}

/**
 * Until its start is recorded a build is known by its event alone; one that was given up for lost is never
 * taken back.
 */
const isAwaited = (revision: Revision, buildId: string): boolean =>
  stageOf(revision.status) === 'build' &&
  // Whoever ends the revision stops the build that it knows of: this one may never have been recorded.
  revision.interrupt_requested_at === undefined &&
  revision.outcome === undefined &&
  (revision.build_id ?? buildId) === buildId &&
  revision.lost_build?.id !== buildId;

async function stopStray({ builds }: RecordDeps, buildId: string, { state }: BuildState): Promise<void> {
  if (state === 'waiting' || state === 'running') await builds.stop(buildId);
}

/**
 * What the state of a build tells that is to be recorded; undefined: nothing yet. `dueAt`: when one must have
 * ended that begins to run `now`.
 */
function factOf(
  revision: Revision,
  buildId: string,
  state: BuildState,
  { now, dueAt }: { now: number; dueAt: number },
): BuildFact | undefined {
  switch (state.state) {
    case 'waiting':
      return revision.build_phase === undefined ? { kind: 'waiting', buildId } : undefined;
    case 'running':
      return revision.build_phase === 'running' ? undefined : { kind: 'running', buildId, dueAt };
    case 'succeeded':
      return { kind: 'succeeded', artifact: state.artifact, commitSha: state.commitSha };
    case 'failed':
      return { kind: 'failed', message: state.message };
    case 'stopped':
      return { kind: 'failed', message: revision.stop_reason ?? 'The build was stopped.' };
    case 'lost':
      return { kind: 'lost', buildId };
    case 'unstarted':
      return { kind: 'unstarted', buildId };
    case 'absent':
      return isAbsentForSure(revision.build_absent_since, now) ? { kind: 'lost', buildId } : undefined;
  }
}
