import { reconcile } from '../../../lib/app/engine/reconcile.ts';
import { completeTask } from '../../../lib/app/listener-protocol/complete.ts';
import { getDesired } from '../../../lib/app/listener-protocol/desired.ts';
import { reportStatus } from '../../../lib/app/listener-protocol/status.ts';
import type {
  ClaimResponse,
  CompleteRequest,
  StatusRequest,
} from '../../../lib/contract/listener-protocol.ts';
import type { Item } from '../../../lib/store/dynamodb/transact.ts';
import type { Listening } from './listening.ts';
import { allItems, type World } from './world.ts';

type Task = ClaimResponse['tasks'][number];

/** What the engine does of itself, as sweep asks it to. */
export async function settle({ deps, caller }: World, deploymentId: string): Promise<void> {
  await reconcile(deps, { tenantId: caller.tenantId, deploymentId }, { asking: true });
}

/** Says for the listener how a task ended. */
export const completed = (
  { plane, listenerId }: Listening,
  task: Task | undefined,
  outcome: CompleteRequest['outcome'],
) =>
  completeTask(
    plane.deps,
    {
      params: { listener_id: listenerId, task_id: task?.task_id ?? '' },
      body: { lease_id: task?.lease_id ?? '', outcome },
    },
    plane.caller,
  );

export const desiredRows = async ({ plane, listenerId }: Listening) =>
  (await getDesired(plane.deps, { params: { listener_id: listenerId } }, plane.caller)).deployments;

export const reported = (
  { plane, listenerId }: Listening,
  report: Pick<StatusRequest['reports'][number], 'deployment_id' | 'epoch' | 'revision_id'>,
) =>
  reportStatus(
    plane.deps,
    { params: { listener_id: listenerId }, body: { reports: [{ ...report, healthy: false }] } },
    plane.caller,
  );

/** Everything stored that is of this deployment, but tasks that ended, which expire. */
export async function leftOf({ deps }: World, deploymentId: string): Promise<Item[]> {
  const items = await allItems(deps.table);
  return items.filter((item) => item.entity !== 'done_task' && JSON.stringify(item).includes(deploymentId));
}
