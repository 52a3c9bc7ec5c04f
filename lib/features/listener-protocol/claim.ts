import type { ListenerRef } from '../../contract/refs.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import * as claims from '../../core/engine/transactions/claims.ts';
import { findDeletion } from '../../core/items/deletions.ts';
import { findDeployment } from '../../core/items/deployments.ts';
import type {
  Listener,
  OpenDeletionTask,
  OpenDeployTask,
  OpenTask,
  Revision,
} from '../../core/items/items.ts';
import { findSocket } from '../../core/items/listener-sockets.ts';
import { keepVersion } from '../../core/items/listener-writes.ts';
import { findSeen, getListenerItem } from '../../core/items/listeners.ts';
import { leaseSecondsOf } from '../../core/items/managed.ts';
import { findRevision, MoveRefused } from '../../core/items/revisions.ts';
import { type Lease, revisionOf } from '../../core/items/tasks.ts';
import { keepUnmeasured } from '../../core/items/unmeasured.ts';
import { isUnavailable } from '../../core/unavailable.ts';
import { misfit } from '../../domain/platforms.ts';
import { unknownRuntime } from '../../domain/runtime.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import { takeCounts } from './counts.ts';
import { type Noted, noteSeen, noteWork } from './last-seen.ts';
import { openTasksFor } from './open-tasks.ts';
import type { claimTasks as row } from './routes.ts';
import { type ClaimResponse, type ListenerTask, TASKS_PER_CLAIM_MAX } from './shape.ts';
import { auditSpec, type SpecDeps, specOf } from './spec.ts';
import { takeReports } from './status.ts';

type HandOverDeps = SpecDeps & Pick<Deps, 'clock'>;
type ClaimDeps = HandOverDeps & Pick<Deps, 'taskNotifier' | 'auditLog' | 'doorbell'>;
type ClaimInput = Pick<RouteInput<typeof row>, 'params' | 'body'>;

/**
 * Seconds until the next poll: soon after work (more often follows), else at a pace that a person who waits
 * bears, and after an hour without work at one whose cost an idle month bears; where a claim is held until
 * there is work, at once. Whom a doorbell rings asks for what a ring that was lost has told of.
 */
const POLL_AFTER_SECONDS = { work: 1, idle: 5, quiet: 15, held: 0, rung: 300 } as const;
const QUIET_AFTER_MILLISECONDS = 3_600_000;

/**
 * Gives a listener the tasks that are offered to it and those this instance holds already, each under a new
 * lease. What it says that it holds stays as it is: to give it again would cost as much as the first time, a
 * poll a second, and take the lease from what is just being reported.
 */
export async function claimTasks(deps: ClaimDeps, input: ClaimInput, caller: Caller): Promise<ClaimResponse> {
  const listenerId = input.params.listener_id;
  const stored = await getListenerItem(deps.table, caller.tenantId, listenerId);
  const listener = await noteVersion(deps, stored, input.body);
  const ref = { tenantId: caller.tenantId, listenerId };
  const rings = await isRung(deps, ref, input.body);
  const nextSeconds = rings ? POLL_AFTER_SECONDS.rung : undefined;
  const noted = await noteSeen(deps, caller.tenantId, listenerId, { isClaim: true, nextSeconds });
  await keepUnmeasured(deps.table, ref, input.body.missing);
  await takeCounts(deps, ref, input.body);
  const reported = await reportedBy(deps, ref, input.body);
  // Listening begins before looking, so an offer made in between is not slept through.
  const offered = deps.taskNotifier.wait(listenerId, input.body.wait_seconds * 1000);
  const now = { ...(await claimOnce(deps, input, caller, { listener, rings, ...noted })), ...reported };
  const waits = deps.taskNotifier.holds && input.body.wait_seconds > 0 && !rings;
  if (now.tasks.length > 0 || now.cancelled.length > 0 || !waits) return now;
  await offered;
  const { changes = 0 } = (await findSeen(deps.table, caller.tenantId, listenerId)) ?? {};
  return { ...(await claimOnce(deps, input, caller, { ...noted, listener, rings, changes })), ...reported };
}

/** Takes the reports of a claim that has some, with what `POST …/status` does of them. */
const reportedBy = async (deps: ClaimDeps, ref: ListenerRef, { reports }: ClaimInput['body']) =>
  reports === undefined ? undefined : { reported: await takeReports(deps, ref, reports) };

/** The instance says that its socket is open, and a ring would reach it. */
const isRung = async (
  { table, clock, doorbell }: ClaimDeps,
  ref: ListenerRef,
  { doorbell: isOpen, instance_id: instanceId }: ClaimInput['body'],
): Promise<boolean> =>
  doorbell !== undefined &&
  isOpen === true &&
  (await findSocket(table, ref, instanceId, clock.now())) !== undefined;

async function claimOnce(
  deps: ClaimDeps,
  { params, body }: ClaimInput,
  caller: Caller,
  { listener, rings, workedAt, changes }: { listener: Listener; rings: boolean } & Noted,
): Promise<ClaimResponse> {
  const { holding, instance_id: instanceId } = body;
  const claimant = { tenantId: caller.tenantId, listenerId: params.listener_id, instanceId, holding };
  const tasks: ListenerTask[] = [];
  const cancelled: string[] = [];
  let [held, tried] = [0, 0];
  const free = () => Math.min(body.max - held, TASKS_PER_CLAIM_MAX) - tasks.length;
  for await (const some of openTasksFor(deps, claimant)) {
    held += some.held;
    cancelled.push(...some.cancelled);
    // As many at once as may be handed out. Tasks further back replace those that cannot be claimed.
    for (const left = some.free; left.length > 0 && free() > 0; ) {
      const next = left.splice(0, free());
      tried += next.length;
      const claimed = await Promise.all(next.map((task) => claimTask(deps, task, instanceId, listener)));
      tasks.push(...claimed.filter((task) => task !== undefined));
    }
    if (free() <= 0) break;
  }
  for (const task of tasks) if (task.kind === 'DEPLOY') auditSpec(deps, task, caller);
  // Also after `cancelled`: a claim is answered at once as long as there is any, and the listener needs a
  // while to stop.
  const found = tasks.length > 0 || cancelled.length > 0;
  const nextSeconds = rings ? POLL_AFTER_SECONDS.rung : undefined;
  if (found) await noteWork(deps, claimant, { workedAt, nextSeconds });
  const url = deps.doorbell?.addressOf(params.listener_id, instanceId);
  // What could not be handed over for now is still offered, and nothing rings for it again.
  const mayWait = rings && tried === tasks.length;
  return {
    tasks,
    cancelled,
    poll_after_seconds: found
      ? POLL_AFTER_SECONDS.work
      : pauseOf(deps, { workedAt, atWork: held > 0, rings: mayWait }),
    desired_changes: changes,
    ...(url !== undefined && { doorbell: { url, rings } }),
  };
}

function pauseOf(
  { taskNotifier, clock }: ClaimDeps,
  { workedAt, atWork, rings }: { workedAt: number; atWork: boolean; rings: boolean },
): number {
  if (rings) return POLL_AFTER_SECONDS.rung;
  if (taskNotifier.holds) return POLL_AFTER_SECONDS.held;
  if (atWork) return POLL_AFTER_SECONDS.work;
  const isQuiet = clock.now() - workedAt >= QUIET_AFTER_MILLISECONDS;
  return isQuiet ? POLL_AFTER_SECONDS.quiet : POLL_AFTER_SECONDS.idle;
}

/**
 * Gives one task to an instance under a new lease. Undefined when another was quicker, the revision is not
 * wanted any more, or the task cannot be handed over: then its revision fails with the reason, and no other
 * task waits for it.
 */
export async function claimTask(
  deps: HandOverDeps,
  task: OpenTask,
  instanceId: string,
  listener: Listener,
): Promise<ListenerTask | undefined> {
  const lease = { leaseId: deps.clock.randomId(), instanceId, now: deps.clock.now() };
  try {
    return task.kind === 'DELETE'
      ? await claimDeletion(deps, task, lease)
      : await claimDeploy(deps, task, lease, listener);
  } catch (error) {
    if (error instanceof ConditionsFailed || error instanceof MoveRefused) return undefined;
    throw error;
  }
}

/** Sweep looks whether the lease is kept. */
async function claimDeletion(
  { table }: HandOverDeps,
  task: OpenDeletionTask,
  lease: Lease,
): Promise<ListenerTask> {
  await transact(table, claims.claimDeletion(task, lease));
  // After the claim: who asks for it later finds the task claimed, and hears that it may be too late.
  const ref = { tenantId: task.tenant_id, deploymentId: task.deployment_id };
  const isAtOnce = (await findDeletion(table, ref))?.delete_data === true;
  const what = { deployment_id: task.deployment_id, revision_id: null, delete_data: isAtOnce };
  return { kind: 'DELETE', ...what, ...leaseFields(task, lease) };
}

async function claimDeploy(
  deps: HandOverDeps,
  task: OpenDeployTask,
  lease: Lease,
  listener: Listener,
): Promise<ListenerTask | undefined> {
  const deployment = await findDeployment(deps.table, task.tenant_id, task.deployment_id);
  const revision = await findRevision(deps.table, revisionOf(task));
  if (deployment === undefined || revision === undefined) return undefined;
  // It was built before the listener said what it runs, or this one runs on another machine since.
  const unfit = misfit(revision.artifact?.platforms, listener) ?? unknownRuntime(revision.runtime, listener);
  if (unfit !== undefined) return endHandOver(deps, revision, unfit);
  // Before the claim: what cannot be handed over must not be claimed, for it would be claimed again at each
  // poll.
  const spec = await specOf(deps, deployment, revision).catch((error: unknown) => {
    if (isUnavailable(error)) return undefined;
    return failHandOver(deps, revision, error);
  });
  if (spec === undefined) return undefined;
  await transact(deps.table, claims.claimDeploy(task, revision, lease));
  return { kind: 'DEPLOY', ...spec, ...leaseFields(task, lease) };
}

/** However often it is tried, what the revision needs cannot be put together: it ends with the reason. */
async function failHandOver(deps: HandOverDeps, revision: Revision, error: unknown): Promise<undefined> {
  // A parser's message quotes what it read, which may be a secret.
  const words =
    error instanceof Error && !(error instanceof SyntaxError) ? error.message : 'it cannot be read';
  const message = `This revision could not be handed to its listener: ${words}. Patch the deployment to make a new one.`;
  return endHandOver(deps, revision, message);
}

async function endHandOver(deps: HandOverDeps, revision: Revision, message: string): Promise<undefined> {
  await write(deps.table, claims.failHandOver(revision, message, deps.clock.now()));
  return undefined;
}

/** What a claim answers of each task, whatever there is to do. */
const leaseFields = (task: OpenTask, { leaseId }: Lease) => ({
  task_id: task.id,
  lease_id: leaseId,
  lease_seconds: leaseSecondsOf(task),
  epoch: task.epoch,
});

/** What a listener reports of itself at a claim. */
export type ReportedVersion = { version?: string | undefined; platform?: string | undefined };

/**
 * Keeps the version and the platform that a listener reports, where they are not the ones that are kept, and
 * gives the listener as it is then. A claim has read the listener anyway, so the many that report no change
 * cost nothing. It changes nothing that a person configured, so `updated_at` stays.
 */
export async function noteVersion(
  { table }: Pick<Deps, 'table'>,
  listener: Listener,
  reported: ReportedVersion,
): Promise<Listener> {
  const version = reported.version || listener.version;
  const platform = reported.platform || listener.platform;
  if (version === listener.version && platform === listener.platform) return listener;
  const news = { ...(version !== undefined && { version }), ...(platform !== undefined && { platform }) };
  await transact(table, keepVersion(listener, news)).catch((error: unknown) => {
    // It was deleted meanwhile, and must not come back.
    if (!(error instanceof ConditionsFailed)) throw error;
  });
  return { ...listener, ...news };
}
