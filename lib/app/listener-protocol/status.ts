import { isDeepStrictEqual } from 'node:util';
import type { reportStatus as row } from '../../contract/routes/listener-protocol.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { findDeployment } from '../../store/deployments.ts';
import { atMost, equals, remove, update } from '../../store/expressions.ts';
import type { Deployment } from '../../store/items.ts';
import { deploymentKey, placementKey } from '../../store/keys.ts';
import { getListenerItem, placementOfAnyVersion } from '../../store/listeners.ts';
import { ConditionsFailed, find, transact } from '../../store/operations.ts';
import { write } from '../../store/write.ts';
import type { Caller } from '../caller.ts';
import { activeRow } from '../deployments/row.ts';
import type { Deps } from '../deps.ts';
import { noteSeen } from './last-seen.ts';

type Report = RouteInput<typeof row>['body']['reports'][number];

/** Records what really runs. Reports of other deployments, of an earlier epoch, or that say nothing new change nothing. */
export async function reportStatus(
  deps: Pick<Deps, 'table' | 'clock'>,
  { params, body }: Pick<RouteInput<typeof row>, 'params' | 'body'>,
  caller: Caller,
): Promise<{ accepted: number }> {
  await getListenerItem(deps.table, caller.tenantId, params.listener_id);
  await noteSeen(deps, caller.tenantId, params.listener_id);
  const taken = await Promise.all(
    body.reports.map((report) => take(deps, report, caller.tenantId, params.listener_id)),
  );
  return { accepted: taken.filter(Boolean).length };
}

async function take(
  deps: Pick<Deps, 'table'>,
  report: Report,
  tenantId: string,
  listenerId: string,
): Promise<boolean> {
  const deployment = await findDeployment(deps.table, tenantId, report.deployment_id);
  if (deployment === undefined) return confirmRemoval(deps, report, tenantId, listenerId);
  if (deployment.listener_id !== listenerId) return false;
  const { active } = deployment;
  if (active === undefined || report.epoch < active.epoch) return false;
  const next = reported(active, report);
  if (isDeepStrictEqual(next, active)) return true;
  try {
    await transact(deps.table, [
      update(
        'deployment',
        deploymentKey(tenantId, deployment.id),
        { set: { active: next } },
        equals('active.revision_id', active.revision_id),
        atMost('active.epoch', report.epoch),
        equals('status', deployment.status),
      ),
      ...(deployment.status === 'AWAITING_DELETE' ? [] : [activeRow(deployment, next)]),
    ]);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
    const isMarkedSince =
      deployment.status !== 'AWAITING_DELETE' && error.failed.get('deployment')?.status === 'AWAITING_DELETE';
    // Otherwise another revision became active meanwhile: this report is about the one before it.
    return isMarkedSince && take(deps, report, tenantId, listenerId);
  }
}

/** The last word that was waited for, of a deployment whose records went without it: nothing runs here any more. */
async function confirmRemoval(
  { table }: Pick<Deps, 'table'>,
  report: Report,
  tenantId: string,
  listenerId: string,
): Promise<boolean> {
  const key = placementKey(tenantId, listenerId, report.deployment_id);
  const row = await find(table, key, placementOfAnyVersion);
  if (row === undefined || report.revision_id !== null || report.epoch < row.epoch) return false;
  await write(table, remove('placement', key));
  return true;
}

function reported(
  active: NonNullable<Deployment['active']>,
  report: Report,
): NonNullable<Deployment['active']> {
  const { reason: _, ...rest } = active;
  const reconciled = report.revision_id === active.revision_id;
  const healthy = reconciled && report.healthy;
  return {
    ...rest,
    healthy,
    reconciled,
    ...(typeof report.url === 'string' && reconciled && { url: report.url }),
    ...(typeof report.reason === 'string' && !healthy && { reason: report.reason }),
  };
}
