import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import { type ChangeDeps, change } from './change.ts';
import type { patchDeployment as row } from './routes.ts';
import { type ShownDeployment, showDeployment } from './view.ts';

/** Changes a deployment; a new revision is made when something is sent that a revision would run. */
export async function patchDeployment(
  deps: ChangeDeps,
  { params, body, headers }: Pick<RouteInput<typeof row>, 'params' | 'body' | 'headers'>,
  caller: Caller,
): Promise<ShownDeployment> {
  const request = { deploymentId: params.deployment_id, body, ifMatch: headers.ifMatch, always: false };
  return change(deps, request, caller, (deployment) => showDeployment(deps, deployment));
}
