import type { BuildChanged, BuildState } from '../../adapters/builds.ts';
import { stageOf } from '../../domain/transitions.ts';
import { absent, type Change } from '../../store/expressions.ts';
import type { Outcome, Revision } from '../../store/items.ts';
import { retryRaces, transact } from '../../store/operations.ts';
import { findRevision, move } from '../../store/revisions.ts';
import type { Deps } from '../deps.ts';

/**
 * Looks at a build that is said to have changed, and records what it finds on the revision: BUILDING when it runs, its outcome when it
 * ended. Dispatch acts on the record. Harmless when repeated or late. A build may end while its start is still being recorded: then it is
 * looked at again, for nobody else may look for a minute.
 */
export function recordBuild(
  deps: Pick<Deps, 'table' | 'clock' | 'builds'>,
  { buildId, ref }: BuildChanged,
): Promise<void> {
  return retryRaces(async () => {
    const [state, revision] = await Promise.all([deps.builds.state(buildId), findRevision(deps.table, ref)]);
    const open =
      revision !== undefined &&
      (revision.build_id ?? buildId) === buildId &&
      stageOf(revision.status) === 'build' &&
      revision.outcome === undefined &&
      revision.interrupt_requested_at === undefined;
    if (!open) return;
    const change = changeFor(revision, state);
    if (change === undefined) return;
    const unless = [absent('outcome'), absent('interrupt_requested_at')];
    await transact(deps.table, [move(revision, change.status, deps.clock.now(), change.change, ...unless)]);
  });
}

function changeFor(
  revision: Revision,
  state: BuildState,
): { status: Revision['status']; change: Change } | undefined {
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
      return failed(revision, 'The build was stopped.');
    case 'absent':
      return failed(
        revision,
        'The build was lost: nothing is known of it any more. Redeploy to build again.',
      );
  }
}

/** Moving to where it is already writes the outcome alone. */
const failed = (revision: Revision, message: string): { status: Revision['status']; change: Change } => ({
  status: revision.status,
  change: { set: { outcome: { stage: 'build', result: 'failed', message } satisfies Outcome } },
});
