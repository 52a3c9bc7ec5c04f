import type { DeploymentStatus } from '../../contract/revision-status.ts';
import type { listDeployments as row } from '../../contract/routes/deployments.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import { findDeployment } from '../../store/deployments.ts';
import { type Deployment, type DeploymentRow, nameReservation } from '../../store/items.ts';
import { nameKey } from '../../store/keys.ts';
import { find } from '../../store/operations.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { isListenerOnline } from './online.ts';
import { rowOf } from './row.ts';
import { findRow, type RowLists, rowsOf } from './row-lists.ts';
import { deploymentStatus, deploymentView, showDeployment } from './view.ts';

type ListDeps = Pick<Deps, 'table' | 'clock'>;
type Query = RouteInput<typeof row>['query'];
type Shown = RouteOutput<typeof row>['resources'][number];

/** A filtered list reads so many rows at a time: few calls when much is passed over, little waste when the page is soon full. */
const ROWS_PER_READ = 100;
/** An unfiltered one reads what the page needs, in calls of at most so many rows. */
const ROWS_PER_READ_MAX = 1000;

/**
 * Deployments, newest first. Thin rows are walked and filtered until the page is full, so a page is short only at the end; whole
 * deployments are read for the page alone, unless a filter needs what only they tell.
 */
export async function listDeployments(
  deps: ListDeps,
  { query }: Pick<RouteInput<typeof row>, 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  if (query.name !== undefined) return namedPage(deps, query, query.name, caller.tenantId);
  const show = shower(deps);
  const resources: Shown[] = [];
  let skipped = 0;
  for await (const row of candidates(deps, caller.tenantId, query)) {
    const inPage = skipped >= query.offset;
    const undecided = needsWhole(row, query);
    const whole = inPage || undecided ? await show(caller.tenantId, row.sk) : undefined;
    if (undecided && (whole === undefined || !matchesWhole(whole, query))) continue;
    if (!inPage) skipped += 1;
    else if (whole !== undefined && resources.push(whole.view) === query.limit) break;
  }
  return { resources, offset: Math.min(query.offset, skipped) + resources.length };
}

type Whole = { view: Shown; deployment: Deployment };

/** A name tells the deployment itself: its row need not be read. */
async function namedPage(
  deps: ListDeps,
  query: Query,
  name: string,
  tenantId: string,
): Promise<RouteOutput<typeof row>> {
  const id = await idByName(deps, tenantId, name);
  const deployment = id && (await findDeployment(deps.table, tenantId, id));
  if (!deployment) return { resources: [], offset: 0 };
  const whole = { deployment, view: await showDeployment(deps, deployment) };
  const listed =
    deployment.status !== 'AWAITING_DELETE' || query.status?.includes('AWAITING_DELETE') === true;
  const found =
    listed && matchesRow({ ...rowOf(deployment), sk: deployment.id }, query) && matchesWhole(whole, query);
  const resources = found && query.offset === 0 ? [whole.view] : [];
  return { resources, offset: Math.min(query.offset, found ? 1 : 0) + resources.length };
}

/** Shows deployments, asking once for each listener whether it is online. */
function shower(deps: ListDeps): (tenantId: string, id: string) => Promise<Whole | undefined> {
  const asked = new Map<string, Promise<boolean>>();
  const online: typeof isListenerOnline = (_, tenantId, listenerId) => {
    const answer = asked.get(listenerId) ?? isListenerOnline(deps, tenantId, listenerId);
    asked.set(listenerId, answer);
    return answer;
  };
  return async (tenantId, id) => {
    const deployment = await findDeployment(deps.table, tenantId, id);
    if (deployment === undefined) return undefined;
    const view = deploymentView(deployment, await deploymentStatus(deps, deployment, online));
    return { view, deployment };
  };
}

/** Rows that the filters on thin rows let through; one whose name is exactly what was searched for comes first. */
async function* candidates(deps: ListDeps, tenantId: string, query: Query): AsyncGenerator<DeploymentRow> {
  const exact = query.name_contains;
  const lists = listsFor(deps, tenantId, query);
  const named = exact === undefined ? undefined : await idByName(deps, tenantId, exact);
  const first = named === undefined ? undefined : await findRow(lists, named);
  if (first !== undefined && matchesRow(first, query)) yield first;
  for await (const row of rows(lists, query)) {
    if (row.sk !== first?.sk && matchesRow(row, query)) yield row;
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

async function idByName(deps: ListDeps, tenantId: string, name: string): Promise<string | undefined> {
  return (await find(deps.table, nameKey(tenantId, name), nameReservation))?.deployment_id;
}

/** The statuses that a stored one may be shown as. */
const shownAs: Record<DeploymentRow['status'], DeploymentStatus[]> = {
  UNUSED: ['UNUSED'],
  READY: ['READY', 'UNKNOWN'],
  AWAITING_DELETE: ['AWAITING_DELETE'],
};

/** Any filter: then how many rows must be read for a page is not known. */
const isFiltered = ({ limit: _, offset: __, ...filters }: Query): boolean =>
  Object.values(filters).some((filter) => filter !== undefined);

function matchesRow(row: DeploymentRow, query: Query): boolean {
  const equal = (asked: string | undefined, value: string | undefined): boolean =>
    asked === undefined || asked === value;
  return (
    row.name.includes(query.name_contains ?? '') &&
    (query.deployment_ids?.includes(row.sk) ?? true) &&
    (query.status?.some((status) => shownAs[row.status].includes(status)) ?? true) &&
    (row.status !== 'UNUSED' || query.remote_reconciled !== true) &&
    equal(query.image_version, row.image_version) &&
    equal(query.agent_id, row.agent_id) &&
    equal(query.agent_environment, row.agent_environment)
  );
}

/** Whether a deployment that has served is healthy only its own item tells; of one that never did the row tells all. */
const needsWhole = (row: DeploymentRow, query: Query): boolean =>
  row.status !== 'UNUSED' && (query.status !== undefined || query.remote_reconciled !== undefined);

function matchesWhole({ view, deployment }: Whole, query: Query): boolean {
  const reconciled = deployment.active?.reconciled ?? false;
  return (
    (query.status?.includes(view.status) ?? true) &&
    (query.remote_reconciled === undefined || query.remote_reconciled === reconciled)
  );
}
