import type { getDeployment as row } from '../../contract/routes/deployments.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { getDeploymentItem } from '../../store/engine/deployments.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { type ShownDeployment, showDeployment } from './view.ts';

export async function getDeployment(
  deps: Pick<Deps, 'table' | 'clock'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<ShownDeployment> {
  return showDeployment(deps, await getDeploymentItem(deps.table, caller.tenantId, params.deployment_id));
}
