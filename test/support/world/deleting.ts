import { reconcile } from '../../../lib/core/engine/reconcile.ts';
import { getDesired } from '../../../lib/features/listener-protocol/desired.ts';
import type { StatusRequest } from '../../../lib/features/listener-protocol/shape.ts';
import { reportStatus } from '../../../lib/features/listener-protocol/status.ts';
import type { Item } from '../../../lib/store/dynamodb/transact.ts';
import type { Listening } from './listening.ts';
import { allItems, type World } from './world.ts';

/** What the engine does of itself, as sweep asks it to. */
export async function settle({ deps, caller }: World, deploymentId: string): Promise<void> {
  await reconcile(deps, { tenantId: caller.tenantId, deploymentId }, { asking: true });
}

export const desiredRows = async (world: Listening) =>
  (await getDesired(world.deps, { params: { listener_id: world.listenerId } }, world.caller)).deployments;

export const reported = (
  world: Listening,
  report: Pick<StatusRequest['reports'][number], 'deployment_id' | 'epoch' | 'revision_id'>,
) =>
  reportStatus(
    world.deps,
    { params: { listener_id: world.listenerId }, body: { reports: [{ ...report, healthy: false }] } },
    world.caller,
  );

/** Everything stored that is of this deployment, but tasks that ended, which expire. */
export async function leftOf({ deps }: World, deploymentId: string): Promise<Item[]> {
  const items = await allItems(deps.table);
  return items.filter((item) => item.entity !== 'done_task' && JSON.stringify(item).includes(deploymentId));
}
