import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import { checkOpen } from '../../core/deployments/checks.ts';
import type { Deps } from '../../core/deps.ts';
import { requestRelease } from '../../core/engine/transactions/threads.ts';
import { getDeploymentItem } from '../../core/items/deployments.ts';
import type { Deployment, Listener, Revision } from '../../core/items/items.ts';
import { countChange, findListener, findSeen } from '../../core/items/listeners.ts';
import { getRevisionItem } from '../../core/items/revisions.ts';
import { type DeploymentThreads, findThreads } from '../../core/items/threads.ts';
import { DURABLE_SINCE, isAtLeast } from '../../domain/runtime.ts';
import { retryRaces, transact } from '../../store/dynamodb/transact.ts';
import type { releaseThreads as row } from './routes.ts';
import type { ReleaseView } from './shape.ts';

/**
 * Lets the threads go that wait in a revision which was replaced: they go on with the one that serves. Its
 * listener hears of it and does it. Asking twice is no error.
 */
export async function releaseThreads(
  deps: Pick<Deps, 'table' | 'clock' | 'idempotency' | 'logs'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<ReleaseView> {
  const { tenantId, userId } = caller;
  const ref = { tenantId, deploymentId: params.deployment_id, revisionId: params.revision_id };
  const { shown, isNew } = await retryRaces(deps.table, async () => {
    const deployment = await getDeploymentItem(deps.table, tenantId, ref.deploymentId);
    const revision = await getRevisionItem(deps.table, ref);
    checkOpen(deployment);
    const on = { tenantId, listenerId: deployment.listener_id };
    const [listener, seen, threads] = await Promise.all([
      findListener(deps.table, tenantId, on.listenerId),
      findSeen(deps.table, tenantId, on.listenerId),
      findThreads(deps.table, ref),
    ]);
    checkReleasable(deployment, revision, listener);
    const release = releaseViewOf(deployment, revision, threads);
    if (threads?.releasing?.includes(revision.id) === true) return { shown: release, isNew: false };
    checkCount(threads);
    const audit = auditMarkOf(deps, { action: 'revision.release_threads', subject_id: revision.id }, caller);
    const said = { userId, threads: release.waiting, audit, now: deps.clock.now() };
    await transact(deps.table, [
      ...requestRelease(deployment, ref, threads, said),
      ...(seen === undefined ? [] : [countChange(on)]),
      ...deps.idempotency.record(release),
    ]);
    return { shown: release, isNew: true };
  });
  const line = { timestamp: deps.clock.now(), level: 'INFO' as const, message: wordsOf(shown, userId) };
  if (isNew) await deps.logs.append({ ...ref, type: 'deploy' }, [line]);
  return shown;
}

function releaseViewOf(
  deployment: Deployment,
  { id }: Revision,
  threads: DeploymentThreads | undefined,
): ReleaseView {
  const own = threads?.revisions?.find(({ revision_id }) => revision_id === id);
  return {
    deployment_id: deployment.id,
    revision_id: id,
    waiting: threads?.revisions === undefined ? null : (own?.waiting ?? 0),
    reported_at: threads?.reported_at ?? null,
  };
}

/** Each is in the row that its listener reads. */
const RELEASES_MAX = 50;

const wordsOf = ({ waiting }: ReleaseView, userId: string): string =>
  `User ${userId} has let the threads go that wait in this revision (${waiting === null ? 'how many is not known' : `${waiting} when last reported`}): they go on with the revision that serves.`;

function checkReleasable(deployment: Deployment, revision: Revision, listener: Listener | undefined): void {
  const reason = problemOf(deployment, revision, listener);
  if (reason !== undefined) throw refuse('state_forbids', { reason });
}

function checkCount(threads: DeploymentThreads | undefined): void {
  if ((threads?.releasing?.length ?? 0) < RELEASES_MAX) return;
  const reason = `The threads of ${RELEASES_MAX} revisions are being let go already: ask again once their listener has done it.`;
  throw refuse('state_forbids', { reason });
}

function problemOf(
  { active, listener_id: listenerId }: Deployment,
  { id, runtime, status }: Revision,
  listener: Listener | undefined,
): string | undefined {
  if (runtime === undefined)
    return `Revision ${id} is ${status}: nothing of it has run, so no threads wait in it.`;
  if (runtime !== 'durable')
    return `Revision ${id} ran in '${runtime}', which keeps no threads at a revision: only those of 'durable' can be let go.`;
  if (active?.revision_id === id)
    return `Revision ${id} is the one that serves: its threads go on with it. Deploy another revision first.`;
  if (active === undefined) return `No revision of this deployment serves, with which threads could go on.`;
  if (listener === undefined) return `Listener ${listenerId} is gone, and nobody else could let threads go.`;
  const { version, compute_id } = listener;
  if (version !== undefined && isAtLeast(version, DURABLE_SINCE)) return undefined;
  return `Listeners let threads go since version ${DURABLE_SINCE}; listener ${compute_id} has ${version === undefined ? 'named no version' : `version ${version}`}. Update it.`;
}
