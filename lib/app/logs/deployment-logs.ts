import type { LogPage } from '../../contract/logs.ts';
import type { queryProjectDeployLogs as row } from '../../contract/routes/logs.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { getDeploymentItem } from '../../core/items/deployments.ts';
import { readLogPage } from './query.ts';

/** The deploy logs of all revisions of a deployment. */
export async function queryProjectDeployLogs(
  deps: Pick<Deps, 'table' | 'logs'>,
  { params, body }: Pick<RouteInput<typeof row>, 'params' | 'body'>,
  caller: Caller,
): Promise<LogPage> {
  const { id } = await getDeploymentItem(deps.table, caller.tenantId, params.deployment_id);
  return readLogPage(deps, { tenantId: caller.tenantId, deploymentId: id, type: 'deploy' }, body);
}
