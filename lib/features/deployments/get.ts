import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { getDeploymentItem } from '../../core/items/deployments.ts';
import type { getDeployment as row } from './routes.ts';
import { type ShownDeployment, showDeployment } from './view.ts';

export async function getDeployment(
  deps: Pick<Deps, 'table' | 'clock'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<ShownDeployment> {
  return showDeployment(deps, await getDeploymentItem(deps.table, caller.tenantId, params.deployment_id));
}
