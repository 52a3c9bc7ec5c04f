import type { deleteDeployment as row } from '../../contract/routes/deployments.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { requestDeletion } from './request-deletion.ts';

/** Starts the deletion of a deployment. Repeating it is no error; `force` stops waiting for the listener. */
export async function deleteDeployment(
  deps: Pick<Deps, 'table' | 'clock'>,
  { params, query, headers }: Pick<RouteInput<typeof row>, 'params' | 'query' | 'headers'>,
  caller: Caller,
): Promise<undefined> {
  const request = {
    deploymentId: params.deployment_id,
    force: query.force === true,
    ifMatch: headers.ifMatch,
  };
  await requestDeletion(deps, request, caller);
}
