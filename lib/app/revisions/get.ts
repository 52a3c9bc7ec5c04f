import type { RevisionView } from '../../contract/deployments/views.ts';
import type { getRevision as row } from '../../contract/routes/revisions.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { getDeploymentItem } from '../../store/engine/deployments.ts';
import { getRevisionItem } from '../../store/engine/revisions.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { revisionView, slotRevisionFor } from './view.ts';

export async function getRevision(
  deps: Pick<Deps, 'table'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<RevisionView> {
  return showRevision(deps, {
    tenantId: caller.tenantId,
    deploymentId: params.deployment_id,
    revisionId: params.revision_id,
  });
}

/** Throws `deployment_not_found` or `revision_not_found`. */
export async function showRevision(
  deps: Pick<Deps, 'table'>,
  ref: { tenantId: string; deploymentId: string; revisionId: string },
): Promise<RevisionView> {
  const deployment = await getDeploymentItem(deps.table, ref.tenantId, ref.deploymentId);
  const revision = await getRevisionItem(deps.table, ref);
  return revisionView(revision, deployment, await slotRevisionFor(deps, deployment, [revision]));
}
