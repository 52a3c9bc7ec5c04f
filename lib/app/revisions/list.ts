import type { listRevisions as row } from '../../contract/routes/revisions.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { getDeploymentItem } from '../../core/items/deployments.ts';
import type { Deployment, Revision } from '../../core/items/items.ts';
import { revisionsBetween } from '../../core/items/revisions.ts';
import { filteredPage } from './filtered-page.ts';
import { slotRevisionFor, toRevisionView } from './view.ts';

type Query = RouteInput<typeof row>['query'];

/**
 * Revisions, newest first. They are numbered, so an unfiltered page costs the same wherever it starts; a
 * filtered one passes over them by notes of how they ended.
 */
export async function listRevisions(
  deps: Pick<Deps, 'table'>,
  { params, query }: Pick<RouteInput<typeof row>, 'params' | 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const deployment = await getDeploymentItem(deps.table, caller.tenantId, params.deployment_id);
  const filtered = query.status !== undefined || query.remote_reconciled !== undefined;
  const { page, skipped } = filtered
    ? await filteredPage(deps.table, deployment, query)
    : await numberedPage(deps, deployment, query);
  const slotRevision = await slotRevisionFor(deps, deployment, page);
  return {
    resources: page.map((item) => toRevisionView(item, deployment, slotRevision)),
    offset: skipped + page.length,
  };
}

async function numberedPage(
  { table }: Pick<Deps, 'table'>,
  deployment: Deployment,
  { offset, limit }: Query,
): Promise<{ page: Revision[]; skipped: number }> {
  const newest = deployment.latest_number - offset;
  if (newest < 1) return { page: [], skipped: deployment.latest_number };
  const owner = { tenantId: deployment.tenant_id, deploymentId: deployment.id };
  const page = await collect(revisionsBetween(table, owner, Math.max(1, newest - limit + 1), newest), limit);
  return { page, skipped: offset };
}

async function collect<T>(items: AsyncIterable<T>, countMax: number): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) if (collected.push(item) === countMax) break;
  return collected;
}
