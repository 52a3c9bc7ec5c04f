import type { DeploymentStatus } from '../../contract/revision-status.ts';
import type { listDeployments as row } from '../../contract/routes/deployments.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import { findDeployment } from '../../store/deployments.ts';
import { type Deployment, type DeploymentRow, deploymentRow, nameReservation } from '../../store/items.ts';
import { deploymentRowKey, nameKey } from '../../store/keys.ts';
import { findLastSeen } from '../../store/listeners.ts';
import { find, queryAll } from '../../store/operations.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { deploymentStatus, deploymentView } from './view.ts';

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

/** Shows deployments, asking for each listener's last sign of life once. */
function shower(deps: ListDeps): (tenantId: string, id: string) => Promise<Whole | undefined> {
  const lastSeen = new Map<string, Promise<number | undefined>>();
  return async (tenantId, id) => {
    const deployment = await findDeployment(deps.table, tenantId, id);
    if (deployment === undefined) return undefined;
    const { listener_id: listenerId } = deployment;
    const asked = lastSeen.get(listenerId) ?? findLastSeen(deps.table, tenantId, listenerId);
    lastSeen.set(listenerId, asked);
    const status = deploymentStatus(deployment, await asked, deps.clock.now());
    return { view: deploymentView(deployment, status), deployment };
  };
}

/** Rows that the filters on thin rows let through; one whose name is exactly what was searched for comes first. */
async function* candidates(deps: ListDeps, tenantId: string, query: Query): AsyncGenerator<DeploymentRow> {
  const exact = query.name ?? query.name_contains;
  const named = exact === undefined ? undefined : await idByName(deps, tenantId, exact);
  const first = named === undefined ? undefined : await findRow(deps, tenantId, named);
  if (first !== undefined && matchesRow(first, query)) yield first;
  if (query.name !== undefined) return;
  for await (const row of rows(deps, tenantId, query)) {
    if (row.sk !== first?.sk && matchesRow(row, query)) yield row;
  }
}

async function* rows(deps: ListDeps, tenantId: string, query: Query): AsyncGenerator<DeploymentRow> {
  if (query.deployment_ids !== undefined) {
    const ids = [...new Set(query.deployment_ids)].sort().reverse();
    for (const row of await Promise.all(ids.map((id) => findRow(deps, tenantId, id)))) {
      if (row !== undefined) yield row;
    }
    return;
  }
  const { pk } = deploymentRowKey(tenantId, '');
  const limit = isFiltered(query) ? ROWS_PER_READ : Math.min(query.offset + query.limit, ROWS_PER_READ_MAX);
  yield* queryAll(deps.table, deploymentRow, { pk, newestFirst: true, limit });
}

const findRow = (deps: ListDeps, tenantId: string, id: string): Promise<DeploymentRow | undefined> =>
  find(deps.table, deploymentRowKey(tenantId, id), deploymentRow);

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
    equal(query.name, row.name) &&
    row.name.includes(query.name_contains ?? '') &&
    (query.deployment_ids?.includes(row.sk) ?? true) &&
    (query.status?.some((status) => shownAs[row.status].includes(status)) ?? true) &&
    (row.status === 'READY' || query.remote_reconciled !== true) &&
    equal(query.image_version, row.image_version) &&
    equal(query.agent_id, row.agent_id) &&
    equal(query.agent_environment, row.agent_environment)
  );
}

/** Whether a deployment that has served is healthy only its own item tells; of the others the row tells all. */
const needsWhole = (row: DeploymentRow, query: Query): boolean =>
  row.status === 'READY' && (query.status !== undefined || query.remote_reconciled !== undefined);

function matchesWhole({ view, deployment }: Whole, query: Query): boolean {
  const reconciled = deployment.active?.reconciled ?? false;
  return (
    (query.status?.includes(view.status) ?? true) &&
    (query.remote_reconciled === undefined || query.remote_reconciled === reconciled)
  );
}
