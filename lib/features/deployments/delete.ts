import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import { checkMatch } from '../../core/deployments/checks.ts';
import type { Deps } from '../../core/deps.ts';
import {
  deleteDataToo,
  forceDeletion,
  requestDeletionWrites,
} from '../../core/engine/transactions/deletions.ts';
import { findDeletion } from '../../core/items/deletions.ts';
import { deploymentRefOf, getDeploymentItem } from '../../core/items/deployments.ts';
import type { Deployment } from '../../core/items/items.ts';
import { firstQueued } from '../../core/items/queue.ts';
import { findRevisionByNumber } from '../../core/items/revisions.ts';
import { findOpenTask } from '../../core/items/tasks.ts';
import { retryRaces, transact } from '../../store/dynamodb/transact.ts';
import type { deleteDeployment as row } from './routes.ts';

/** Starts the deletion of a deployment. Repeating it is no error; `force` stops waiting for the listener. */
export async function deleteDeployment(
  deps: Pick<Deps, 'table' | 'clock'>,
  { params, query, headers }: Pick<RouteInput<typeof row>, 'params' | 'query' | 'headers'>,
  caller: Caller,
): Promise<undefined> {
  const request = {
    deploymentId: params.deployment_id,
    force: query.force === true,
    deletesData: query.delete_data === true,
    ifMatch: headers.ifMatch,
  };
  await requestDeletion(deps, request, caller);
}

type DeletionDeps = Pick<Deps, 'table' | 'clock'>;
export type DeletionRequest = {
  deploymentId: string;
  force: boolean;
  deletesData: boolean;
  ifMatch: string | undefined;
};

/**
 * Marks a deployment to be deleted, in one transaction with the end of its queue and the interrupt of what is
 * in progress; the engine does the rest. `force`, for one that is marked already: its records go without its
 * listener's word. `deletesData`: no dump of its database stays. Throws `deployment_not_found`,
 * `version_mismatch`, `state_forbids` (force without a mark, or too late for `deletesData`).
 */
export async function requestDeletion(
  deps: DeletionDeps,
  request: DeletionRequest,
  caller: Caller,
): Promise<void> {
  await retryRaces(deps.table, async () => {
    const deployment = await getDeploymentItem(deps.table, caller.tenantId, request.deploymentId);
    checkMatch(deployment, request.ifMatch);
    if (deployment.status !== 'AWAITING_DELETE') {
      if (request.force) throw notMarked(deployment);
      await mark(deps, deployment, request, caller);
      return;
    }
    if (request.force) await force(deps, deployment, caller);
    if (request.deletesData) await deleteData(deps, deployment, caller);
  });
}

const notMarked = ({ id }: Deployment): Error =>
  refuse('state_forbids', {
    reason: `Deployment ${id} is not being deleted; 'force' is only for one that is (AWAITING_DELETE): delete it without 'force' first.`,
  });

async function mark(
  deps: DeletionDeps,
  deployment: Deployment,
  { deletesData }: DeletionRequest,
  caller: Caller,
): Promise<void> {
  const { slot } = deployment;
  const ref = deploymentRefOf(deployment);
  const [slotRevision, queued] = await Promise.all([
    slot?.kind === 'revision' ? findRevisionByNumber(deps.table, ref, slot.number) : undefined,
    firstQueued(deps.table, deployment),
  ]);
  const audit = auditMarkOf(deps, { action: 'deployment.delete' }, caller);
  const facts = { deployment, slotRevision, queued, deletesData, audit, now: deps.clock.now() };
  await transact(deps.table, requestDeletionWrites(facts));
}

/** Its listener is given the mark with the task, which it reads after it has claimed it. */
async function deleteData(deps: DeletionDeps, deployment: Deployment, caller: Caller): Promise<void> {
  const ref = deploymentRefOf(deployment);
  if ((await findDeletion(deps.table, ref))?.delete_data === true) return;
  const audit = auditMarkOf(deps, { action: 'deployment.delete' }, caller);
  await transact(deps.table, [deleteDataToo(deployment, audit)]);
  const { task_id: taskId } = await getDeploymentItem(deps.table, ref.tenantId, ref.deploymentId);
  const task = taskId && (await findOpenTask(deps.table, ref.tenantId, deployment.listener_id, taskId));
  const isBegun = task && task.kind === 'DELETE' && task.state === 'claimed';
  if (isBegun || (await findDeletion(deps.table, ref))?.torn_down === true) throw tooLate(deployment);
}

const tooLate = ({ id }: Deployment): Error =>
  refuse('state_forbids', {
    reason: `The listener of deployment ${id} has begun to remove it, without 'delete_data': a dump of its database may stay there for 7 days.`,
  });

async function force(deps: DeletionDeps, deployment: Deployment, caller: Caller): Promise<void> {
  const audit = auditMarkOf(deps, { action: 'deployment.delete' }, caller);
  await transact(deps.table, forceDeletion(deployment, audit, deps.clock.now()));
}
