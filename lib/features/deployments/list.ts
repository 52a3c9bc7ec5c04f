import type { DeploymentStatus } from '../../contract/revision-status.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import { trafficOf } from '../../core/deployments/traffic.ts';
import { revisionViewOf, slotRevisionFor } from '../../core/deployments/views.ts';
import type { Deps } from '../../core/deps.ts';
import { rowOf } from '../../core/items/deployment-rows.ts';
import { deploymentRefOf, findDeployment } from '../../core/items/deployments.ts';
import type { Deployment, DeploymentRow } from '../../core/items/items.ts';
import { findIdByName } from '../../core/items/names.ts';
import { findRevisionByNumber } from '../../core/items/revisions.ts';
import { isListenerOnline } from '../../core/online.ts';
import type { listDeployments as row } from './routes.ts';
import { matchesRow, matchesWhole, mayMatch } from './row-filter.ts';
import { findRow, type RowLists, rowsOf } from './store.ts';
import { activeConfiguration, deploymentStatus, deploymentViewOf } from './view.ts';

type ListDeps = Pick<Deps, 'table' | 'clock'>;
type Query = RouteInput<typeof row>['query'];
type Shown = RouteOutput<typeof row>['resources'][number];

/**
 * A filtered list reads so many rows at a time: few calls when much is passed over, little waste when the
 * page is soon full.
 */
const ROWS_PER_READ = 100;
/** An unfiltered one reads what the page needs, in calls of at most so many rows. */
const ROWS_PER_READ_MAX = 1000;

/**
 * Deployments, newest first. Thin rows are walked and filtered until the page is full, so a page is short
 * only at the end; whole deployments are read for the page, and otherwise only where a filter asks for what a
 * row does not tell.
 */
export async function listDeployments(
  deps: ListDeps,
  { query }: Pick<RouteInput<typeof row>, 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  if (query.name !== undefined) return namedPage(deps, query, query.name, caller.tenantId);
  const { isOnline, show } = shower(deps, caller.tenantId);
  const page: Whole[] = [];
  let skipped = 0;
  for await (const row of candidates(deps, caller.tenantId, query)) {
    const found = await matchesRow(row, query, isOnline);
    if (found === false) continue;
    const inPage = skipped >= query.offset;
    const whole = inPage || found === undefined ? await show(row.sk) : undefined;
    if (whole === undefined ? found === undefined : !whole.matches(query)) continue;
    if (!inPage) skipped += 1;
    else if (whole !== undefined && page.push(whole) === query.limit) break;
  }
  const resources = await Promise.all(page.map((whole) => listed(deps, whole, query)));
  return { resources, offset: Math.min(query.offset, skipped) + resources.length };
}

type Whole = { deployment: Deployment; status: DeploymentStatus; matches: (query: Query) => boolean };

/** As the list shows it. */
async function listed(
  deps: ListDeps,
  { deployment, status }: Pick<Whole, 'deployment' | 'status'>,
  { include, traffic }: Query,
): Promise<Shown> {
  const [configuration, latestRevision, told] = await Promise.all([
    activeConfiguration(deps, deployment),
    include?.includes('latest_revision') === true ? latestRevisionOf(deps, deployment) : null,
    traffic === true ? trafficOf(deps, deploymentRefOf(deployment)) : null,
  ]);
  const view = deploymentViewOf(deployment, status, configuration);
  return { ...view, latest_revision: latestRevision, traffic: told };
}

async function latestRevisionOf(deps: ListDeps, deployment: Deployment): Promise<Shown['latest_revision']> {
  const ref = deploymentRefOf(deployment);
  const revision = await findRevisionByNumber(deps.table, ref, deployment.latest_number);
  if (revision === undefined) return null;
  return revisionViewOf(revision, deployment, await slotRevisionFor(deps, deployment, [revision]));
}

/** A name tells the deployment itself: its row need not be read. */
async function namedPage(
  deps: ListDeps,
  query: Query,
  name: string,
  tenantId: string,
): Promise<RouteOutput<typeof row>> {
  const id = await findIdByName(deps.table, tenantId, name);
  const deployment = id && (await findDeployment(deps.table, tenantId, id));
  if (!deployment) return { resources: [], offset: 0 };
  const status = await deploymentStatus(deps, deployment);
  const isListed =
    deployment.status !== 'AWAITING_DELETE' || query.status?.includes('AWAITING_DELETE') === true;
  const found =
    isListed &&
    mayMatch({ ...rowOf(deployment), sk: deployment.id }, query) &&
    matchesWhole(deployment, status, query);
  const resources = found && query.offset === 0 ? [await listed(deps, { deployment, status }, query)] : [];
  return { resources, offset: Math.min(query.offset, found ? 1 : 0) + resources.length };
}

/** Shows deployments of a tenant, asking once for each listener whether it is online. */
function shower(
  deps: ListDeps,
  tenantId: string,
): {
  isOnline: (listenerId: string) => Promise<boolean>;
  show: (deploymentId: string) => Promise<Whole | undefined>;
} {
  const asked = new Map<string, Promise<boolean>>();
  const isOnline = (listenerId: string): Promise<boolean> => {
    const answer = asked.get(listenerId) ?? isListenerOnline(deps, tenantId, listenerId);
    asked.set(listenerId, answer);
    return answer;
  };
  const show = async (id: string): Promise<Whole | undefined> => {
    const deployment = await findDeployment(deps.table, tenantId, id);
    if (deployment === undefined) return undefined;
    const status = await deploymentStatus(deps, deployment, (_, __, listenerId) => isOnline(listenerId));
    return {
      deployment,
      status,
      matches: (query) => matchesWhole(deployment, status, query),
    };
  };
  return { isOnline, show };
}

/**
 * Rows that the filters on thin rows let through; one whose name is exactly what was searched for comes
 * first.
 */
async function* candidates(deps: ListDeps, tenantId: string, query: Query): AsyncGenerator<DeploymentRow> {
  const exact = query.name_contains;
  const lists = listsFor(deps, tenantId, query);
  const named = exact === undefined ? undefined : await findIdByName(deps.table, tenantId, exact);
  const first = named === undefined ? undefined : await findRow(lists, named);
  if (first !== undefined && mayMatch(first, query)) yield first;
  for await (const row of rows(lists, query)) {
    if (row.sk !== first?.sk && mayMatch(row, query)) yield row;
  }
}

const listsFor = ({ table }: ListDeps, tenantId: string, { status }: Query): RowLists => ({
  table,
  tenantId,
  others: status?.some((one) => one !== 'AWAITING_DELETE') ?? true,
  deleted: status?.includes('AWAITING_DELETE') ?? false,
});

async function* rows(lists: RowLists, query: Query): AsyncGenerator<DeploymentRow> {
  if (query.deployment_ids !== undefined) {
    const ids = [...new Set(query.deployment_ids)].sort().reverse();
    for (const row of await Promise.all(ids.map((id) => findRow(lists, id)))) {
      if (row !== undefined) yield row;
    }
    return;
  }
  yield* rowsOf(
    lists,
    isFiltered(query) ? ROWS_PER_READ : Math.min(query.offset + query.limit, ROWS_PER_READ_MAX),
  );
}

/** Any filter: then how many rows must be read for a page is not known. */
const isFiltered = ({ limit: _, offset: __, include: ___, traffic: ____, ...filters }: Query): boolean =>
  Object.values(filters).some((filter) => filter !== undefined);
