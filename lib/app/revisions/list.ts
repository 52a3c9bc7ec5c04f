import type { listRevisions as row } from '../../contract/routes/revisions.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import { getDeploymentItem } from '../../store/deployments.ts';
import { type Deployment, type Revision, revision } from '../../store/items.ts';
import { revisionKey } from '../../store/keys.ts';
import { queryAll } from '../../store/operations.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { holderFor, isReconciled, revisionView } from './view.ts';

type Query = RouteInput<typeof row>['query'];

/** A filtered list reads so many revisions at a time, so that a page that is soon full does not pay for a long history. */
const ROWS_PER_READ = 25;

/** Revisions, newest first. They are numbered, so an unfiltered page costs the same wherever it starts. */
export async function listRevisions(
  deps: Pick<Deps, 'table'>,
  { params, query }: Pick<RouteInput<typeof row>, 'params' | 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const deployment = await getDeploymentItem(deps.table, caller.tenantId, params.deployment_id);
  const filtered = query.status !== undefined || query.remote_reconciled !== undefined;
  const { page, skipped } = filtered
    ? await filteredPage(deps, deployment, query)
    : await numberedPage(deps, deployment, query);
  const holder = await holderFor(deps, deployment, page);
  return {
    resources: page.map((item) => revisionView(item, deployment, holder)),
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
  const page = await collect(
    revisionsBetween(table, deployment, Math.max(1, newest - limit + 1), newest),
    limit,
  );
  return { page, skipped: offset };
}

async function filteredPage(
  { table }: Pick<Deps, 'table'>,
  deployment: Deployment,
  query: Query,
): Promise<{ page: Revision[]; skipped: number }> {
  const page: Revision[] = [];
  let skipped = 0;
  for await (const item of revisionsBetween(table, deployment, 1, deployment.latest_number, ROWS_PER_READ)) {
    if (!matches(item, deployment, query)) continue;
    if (skipped < query.offset) skipped += 1;
    else if (page.push(item) === query.limit) break;
  }
  return { page, skipped };
}

function matches(item: Revision, deployment: Deployment, query: Query): boolean {
  return (
    (query.status?.includes(item.status) ?? true) &&
    (query.remote_reconciled === undefined || query.remote_reconciled === isReconciled(item, deployment))
  );
}

function revisionsBetween(
  table: Deps['table'],
  deployment: Deployment,
  oldest: number,
  newest: number,
  limit?: number,
) {
  const at = (number: number) => revisionKey(deployment.tenant_id, deployment.id, number);
  return queryAll(table, revision, {
    pk: at(oldest).pk,
    between: [at(oldest).sk, at(newest).sk],
    newestFirst: true,
    ...(limit !== undefined && { limit }),
  });
}

async function collect<T>(items: AsyncIterable<T>, countMax: number): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) if (collected.push(item) === countMax) break;
  return collected;
}
