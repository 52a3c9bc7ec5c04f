import { ApiError } from '../contract/errors.ts';
import type { DeploymentRef } from '../contract/refs.ts';
import type { Deps } from '../core/deps.ts';
import { findDeployment } from '../core/items/deployments.ts';
import type { Deployment, Listener, OpenTask } from '../core/items/items.ts';
import { getListenerItem } from '../core/items/listeners.ts';
import { isManaged, managedListenerId } from '../core/items/managed.ts';
import { findPlacement } from '../core/items/placements.ts';
import { findRevision } from '../core/items/revisions.ts';
import { findOpenTask, takeCancelled } from '../core/items/tasks.ts';
import { claimTask } from '../features/listener-protocol/claim.ts';
import { heartbeatTask } from '../features/listener-protocol/heartbeat.ts';
import type { DeploySpec, DeployTask } from '../features/listener-protocol/shape.ts';
import { type SpecDeps, specOf } from '../features/listener-protocol/spec.ts';
import { ConditionsFailed } from '../store/dynamodb/transact.ts';
import { write } from '../store/dynamodb/write.ts';

export type WorkDeps = Pick<Deps, 'clock'> & SpecDeps;

/** All runs of the driver are one instance: a run takes over what the one before has in hand. */
const INSTANCE_ID = 'driver';

/** By which right a run changes anything. */
export type Held =
  | { kind: 'deploy'; task: DeployTask; offeredAt: number }
  | { kind: 'removal'; taskId: string; leaseId: string }
  /** A deploy that was interrupted: what it has begun has to go, then that is said. */
  | { kind: 'stopping'; taskId: string; leaseId: string }
  /** Nobody has a task: what shall run is kept as it is, for as long as no other task is offered. */
  | { kind: 'none'; epoch: number };

export type Work = {
  place: DeploymentRef;
  /** Undefined: its records are gone, and only what may still run is left. */
  deployment: Deployment | undefined;
  listener: Listener;
  wanted: DeploySpec | 'nothing';
  held: Held;
};

/** What there is to do for a deployment, taken up under a new lease; undefined: nothing, or not now. */
export async function takeUp(deps: WorkDeps, place: DeploymentRef): Promise<Work | undefined> {
  const { tenantId, deploymentId } = place;
  const deployment = await findDeployment(deps.table, tenantId, deploymentId);
  if (deployment !== undefined && !isManaged(deployment)) return undefined;
  const listener = await getListenerItem(deps.table, tenantId, managedListenerId(tenantId));
  const taskId = deployment?.task_id;
  const task = taskId && (await findOpenTask(deps.table, tenantId, listener.id, taskId));
  if (deployment === undefined || !task) return desired(deps, { place, deployment, listener });
  return task.state === 'cancelled'
    ? stopping(deps, { place, deployment, listener }, task)
    : claimed(deps, { place, deployment, listener }, task);
}

type Known = Omit<Work, 'wanted' | 'held' | 'deployment'> & { deployment: Deployment };

async function claimed(deps: WorkDeps, known: Known, task: OpenTask): Promise<Work | undefined> {
  const given = await claimTask(deps, task, INSTANCE_ID, known.listener);
  if (given === undefined) return undefined;
  if (given.kind === 'DELETE') {
    const held: Held = { kind: 'removal', taskId: given.task_id, leaseId: given.lease_id };
    return { ...known, wanted: 'nothing', held };
  }
  return { ...known, wanted: given, held: { kind: 'deploy', task: given, offeredAt: task.offered_at } };
}

async function stopping(deps: WorkDeps, known: Known, task: OpenTask): Promise<Work | undefined> {
  const { active, slot } = known.deployment;
  const leaseId = deps.clock.randomId();
  const lease = { leaseId, instanceId: INSTANCE_ID, now: deps.clock.now() };
  try {
    await write(deps.table, takeCancelled(task, lease));
  } catch (error) {
    if (error instanceof ConditionsFailed) return undefined;
    throw error;
  }
  const stays = slot?.kind === 'delete' ? undefined : active?.revision_id;
  const wanted = await wantedOf(deps, known.deployment, stays);
  return wanted && { ...known, wanted, held: { kind: 'stopping', taskId: task.id, leaseId } };
}

/** As the row says that any listener is given. */
async function desired(
  deps: WorkDeps,
  known: Pick<Work, 'place' | 'deployment' | 'listener'>,
): Promise<Work | undefined> {
  const { place, deployment, listener } = known;
  const owner = { tenantId: place.tenantId, listenerId: listener.id };
  const row = await findPlacement(deps.table, owner, place.deploymentId);
  // What a run has made that was overtaken by the deletion is known by nothing but its place.
  if (row === undefined && deployment === undefined)
    return { ...known, wanted: 'nothing', held: { kind: 'none', epoch: 0 } };
  if (row === undefined || row.held) return undefined;
  const wanted = deployment === undefined ? 'nothing' : await wantedOf(deps, deployment, row.revision_id);
  return wanted && { ...known, wanted, held: { kind: 'none', epoch: row.epoch } };
}

const wantedOf = async (
  deps: WorkDeps,
  deployment: Deployment,
  revisionId: string | undefined,
): Promise<Work['wanted'] | undefined> =>
  revisionId === undefined ? 'nothing' : specFor(deps, deployment, revisionId);

async function specFor(
  deps: WorkDeps,
  deployment: Deployment,
  revisionId: string,
): Promise<DeploySpec | undefined> {
  const ref = { tenantId: deployment.tenant_id, deploymentId: deployment.id, revisionId };
  const revision = await findRevision(deps.table, ref);
  return revision && specOf(deps, deployment, revision);
}

/** `lost`: another run, or another task, has taken over. `stop`: the revision is not wanted any more. */
export type Right = 'go' | 'stop' | 'lost';

/**
 * Whether a run may still change anything, asked right before it does; with a task that keeps its lease.
 * `phase`: traffic is about to move.
 */
export async function mayGoOn(
  deps: Pick<Deps, 'table' | 'clock' | 'keys'>,
  { place, deployment, listener, held }: Work,
  phase?: 'switching',
): Promise<Right> {
  if (held.kind === 'none') {
    const now = await findDeployment(deps.table, place.tenantId, place.deploymentId);
    // Only one that has begun without its records may go on without them: what it knows is wanted no more.
    if (now === undefined) return deployment === undefined ? 'go' : 'lost';
    return now.epoch === held.epoch && now.task_id === undefined ? 'go' : 'lost';
  }
  const { taskId, leaseId } = leaseOf(held);
  const params = { listener_id: listener.id, task_id: taskId };
  try {
    const { stop } = await heartbeatTask(deps, { params, body: { lease_id: leaseId, phase } }, place);
    if (held.kind === 'stopping') return 'go';
    return stop ? 'stop' : 'go';
  } catch (error) {
    if (isTaken(error)) return 'lost';
    throw error;
  }
}

/** Another run has the task, or it has ended. */
export const isTaken = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'lease_taken' || error.code === 'task_not_found');

export const leaseOf = (held: Exclude<Held, { kind: 'none' }>): { taskId: string; leaseId: string } =>
  held.kind === 'deploy' ? { taskId: held.task.task_id, leaseId: held.task.lease_id } : held;
