import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { deploymentRefOf, getDeploymentItem } from '../../core/items/deployments.ts';
import type { Deployment } from '../../core/items/items.ts';
import { findThreads } from '../../core/items/threads.ts';
import type { getDeployment as row } from './routes.ts';
import type { DeploymentView } from './shape.ts';
import { type ShownDeployment, showDeployment } from './view.ts';

/** Of a durable one with the threads that its listener has reported, which takes a read more. */
export async function getDeployment(
  deps: Pick<Deps, 'table' | 'clock'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<ShownDeployment> {
  const deployment = await getDeploymentItem(deps.table, caller.tenantId, params.deployment_id);
  const [shown, threads] = await Promise.all([
    showDeployment(deps, deployment),
    threadsViewFor(deps, deployment),
  ]);
  return { ...shown, threads };
}

async function threadsViewFor(
  { table }: Pick<Deps, 'table'>,
  deployment: Deployment,
): Promise<DeploymentView['threads']> {
  if (deployment.runtime?.resolved !== 'durable') return null;
  const { reported_at, revisions } = (await findThreads(table, deploymentRefOf(deployment))) ?? {};
  return reported_at === undefined || revisions === undefined ? null : { reported_at, revisions };
}
