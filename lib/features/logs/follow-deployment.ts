import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { getDeploymentItem } from '../../core/items/deployments.ts';
import { type FollowedPage, readOrFollow } from './followed.ts';
import type { queryDeploymentLogs as row } from './routes.ts';

/**
 * A page of the logs of all revisions of a deployment, or what follows in them; they never end. Throws
 * `deployment_not_found`, and as `readOrFollow` does.
 */
export async function queryDeploymentLogs(
  deps: Pick<Deps, 'table' | 'logs' | 'clock' | 'changes'>,
  input: Pick<RouteInput<typeof row>, 'params' | 'query' | 'headers' | 'gone'>,
  caller: Caller,
): Promise<FollowedPage> {
  const { tenantId } = caller;
  const { id } = await getDeploymentItem(deps.table, tenantId, input.params.deployment_id);
  const stream = { tenantId, deploymentId: id, type: input.query.type };
  return readOrFollow(deps, stream, input, caller, async () => undefined);
}
