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

export type AssignmentDeps = Pick<Deps, 'clock'> & SpecDeps;

/** All runs of the driver are one instance: a run takes over what the one before has in hand. */
const INSTANCE_ID = 'driver';

/** By which right a run changes anything. */
export type Held =
  | { kind: 'deploy'; task: DeployTask; offeredAt: number }
  | { kind: 'removal'; taskId: string; leaseId: string }
  /** A deploy that was interrupted: what it has begun has to go, then that is reported. */
  | { kind: 'stopping'; taskId: string; leaseId: string }
  /** Nobody has a task: what shall run is kept as it is, for as long as no other task is offered. */
  | { kind: 'none'; epoch: number };

export type Assignment = {
  ref: DeploymentRef;
  /** Undefined: its records are gone, and only what may still run is left. */
  deployment: Deployment | undefined;
  listener: Listener;
  wanted: DeploySpec | 'nothing';
  held: Held;
};

/** What there is to do for a deployment, taken up under a new lease; undefined: nothing, or not now. */
export async function takeUp(deps: AssignmentDeps, ref: DeploymentRef): Promise<Assignment | undefined> {
  const { tenantId, deploymentId } = ref;
  const deployment = await findDeployment(deps.table, tenantId, deploymentId);
  if (deployment !== undefined && !isManaged(deployment)) return undefined;
  const listener = await getListenerItem(deps.table, tenantId, managedListenerId(tenantId));
  const taskId = deployment?.task_id;
  const task = taskId && (await findOpenTask(deps.table, tenantId, listener.id, taskId));
  if (deployment === undefined || !task) return takeDesired(deps, { ref, deployment, listener });
  return task.state === 'cancelled'
    ? takeStopping(deps, { ref, deployment, listener }, task)
    : takeClaimed(deps, { ref, deployment, listener }, task);
}

type Known = Omit<Assignment, 'wanted' | 'held' | 'deployment'> & { deployment: Deployment };

async function takeClaimed(
  deps: AssignmentDeps,
  known: Known,
  task: OpenTask,
): Promise<Assignment | undefined> {
  const given = await claimTask(deps, task, INSTANCE_ID, known.listener);
  if (given === undefined) return undefined;
  if (given.kind === 'DELETE') {
    const held: Held = { kind: 'removal', taskId: given.task_id, leaseId: given.lease_id };
    return { ...known, wanted: 'nothing', held };
  }
  return { ...known, wanted: given, held: { kind: 'deploy', task: given, offeredAt: task.offered_at } };
}

async function takeStopping(
  deps: AssignmentDeps,
  known: Known,
  task: OpenTask,
): Promise<Assignment | undefined> {
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

/** What shall run by the deployment's row of `desired`, as any listener is told. */
async function takeDesired(
  deps: AssignmentDeps,
  known: Pick<Assignment, 'ref' | 'deployment' | 'listener'>,
): Promise<Assignment | undefined> {
  const { ref, deployment, listener } = known;
  const on = { tenantId: ref.tenantId, listenerId: listener.id };
  const row = await findPlacement(deps.table, on, ref.deploymentId);
  // What a run has made that was overtaken by the deletion is known by nothing but where it lies.
  if (row === undefined && deployment === undefined)
    return { ...known, wanted: 'nothing', held: { kind: 'none', epoch: 0 } };
  if (row === undefined || row.held) return undefined;
  const wanted = deployment === undefined ? 'nothing' : await wantedOf(deps, deployment, row.revision_id);
  return wanted && { ...known, wanted, held: { kind: 'none', epoch: row.epoch } };
}

const wantedOf = async (
  deps: AssignmentDeps,
  deployment: Deployment,
  revisionId: string | undefined,
): Promise<Assignment['wanted'] | undefined> =>
  revisionId === undefined ? 'nothing' : specFor(deps, deployment, revisionId);

async function specFor(
  deps: AssignmentDeps,
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
  { ref, deployment, listener, held }: Assignment,
  phase?: 'switching',
): Promise<Right> {
  if (held.kind === 'none') {
    const now = await findDeployment(deps.table, ref.tenantId, ref.deploymentId);
    // Only one that has begun without its records may go on without them: what it knows is wanted no more.
    if (now === undefined) return deployment === undefined ? 'go' : 'lost';
    return now.epoch === held.epoch && now.task_id === undefined ? 'go' : 'lost';
  }
  const { taskId, leaseId } = leaseOf(held);
  const params = { listener_id: listener.id, task_id: taskId };
  try {
    const { stop } = await heartbeatTask(deps, { params, body: { lease_id: leaseId, phase } }, ref);
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
