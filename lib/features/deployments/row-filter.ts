import type { DeploymentStatus } from '../../contract/revision-status.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { packedId, unpackedId } from '../../core/items/deployment-rows.ts';
import type { Deployment, DeploymentRow } from '../../core/items/items.ts';
import type { listDeployments as row } from './routes.ts';

type Query = RouteInput<typeof row>['query'];

/** Whether a row may be of a deployment that matches: by all that every row tells. */
export function mayMatch(row: DeploymentRow, query: Query): boolean {
  const equal = (asked: string | undefined, value: string | undefined): boolean =>
    asked === undefined || asked === value;
  return (
    query.tag_value_ids === undefined &&
    row.name.includes(query.name_contains ?? '') &&
    (query.deployment_ids?.includes(row.sk) ?? true) &&
    (query.status?.some((status) => shownAs[row.status].some((shown) => shown === status)) ?? true) &&
    (row.status !== 'UNUSED' || query.remote_reconciled !== true) &&
    equal(query.image_version, row.image_version) &&
    equal(query.listener_id && packedId(query.listener_id), row.listener) &&
    (row.typed === true || equal(query.deployment_type, row.type)) &&
    equal(query.agent_id, row.agent_id) &&
    equal(query.agent_environment, row.agent_environment)
  );
}

/** The statuses that a stored one may be shown as. */
const shownAs: Record<DeploymentRow['status'], DeploymentStatus[]> = {
  UNUSED: ['UNUSED'],
  READY: ['READY', 'UNKNOWN'],
  AWAITING_DELETE: ['AWAITING_DELETE'],
};

/**
 * Whether a row that may match does; undefined when only the deployment tells: rows of what is being deleted
 * do not say whether that still runs.
 */
export async function matchesRow(
  row: DeploymentRow,
  query: Query,
  isOnline: (listenerId: string) => Promise<boolean>,
): Promise<boolean | undefined> {
  if (query.deployment_type !== undefined && row.typed === true) return undefined;
  if (row.status === 'UNUSED') return true;
  if (query.status === undefined && query.remote_reconciled === undefined) return true;
  if (row.status === 'AWAITING_DELETE') return query.remote_reconciled === undefined ? true : undefined;
  const reconciled = row.health !== 'gone';
  if (query.remote_reconciled !== undefined && query.remote_reconciled !== reconciled) return false;
  if (query.status === undefined) return true;
  const [ready, unknown] = [query.status.includes('READY'), query.status.includes('UNKNOWN')];
  if (ready && unknown) return true;
  return row.health === undefined && (await isOnline(unpackedId(row.listener))) ? ready : unknown;
}

/** What the deployment itself tells, as it is shown with this status. */
export function matchesWhole(
  { active, config }: Deployment,
  status: DeploymentStatus,
  query: Query,
): boolean {
  const reconciled = active?.reconciled ?? false;
  return (
    (query.status?.includes(status) ?? true) &&
    (query.deployment_type === undefined || query.deployment_type === config.deployment_type) &&
    (query.remote_reconciled === undefined || query.remote_reconciled === reconciled)
  );
}
