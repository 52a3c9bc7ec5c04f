import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ListenerRef } from '../../contract/refs.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { recordReport } from '../../core/engine/transactions/reports.ts';
import { findDeployment } from '../../core/items/deployments.ts';
import type { Deployment } from '../../core/items/items.ts';
import { getListenerItem } from '../../core/items/listeners.ts';
import {
  findPlacement,
  placementState,
  rememberReports,
  removePlacement,
} from '../../core/items/placements.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import { noteSeen } from './last-seen.ts';
import { maskAddress, revisionMask } from './masked.ts';
import type { reportStatus as row } from './routes.ts';
import { takeThreads } from './threads.ts';

type Report = RouteInput<typeof row>['body']['reports'][number];

type StatusDeps = Pick<Deps, 'table' | 'clock' | 'keys' | 'agentSecrets'>;
type Active = NonNullable<Deployment['active']>;
/** Whether a report is of what the control plane knows, and whether it has told it anything. */
type Taken = 'unknown' | 'known' | 'new';

/**
 * Records what really runs, and that the listener called. Reports of other deployments, of an earlier epoch,
 * or that say nothing new change nothing.
 */
export async function reportStatus(
  deps: StatusDeps,
  { params, body }: Pick<RouteInput<typeof row>, 'params' | 'body'>,
  caller: Pick<Caller, 'tenantId'>,
): Promise<{ accepted: number }> {
  const ref = { tenantId: caller.tenantId, listenerId: params.listener_id };
  await getListenerItem(deps.table, ref.tenantId, ref.listenerId);
  await noteSeen(deps, ref.tenantId, ref.listenerId, { isClaim: false });
  return { accepted: await takeReports(deps, ref, body.reports) };
}

/**
 * Records what a listener that is there reports, however it sends that. Gives how many reports were of what
 * runs there.
 */
export const takeReports = (deps: StatusDeps, ref: ListenerRef, reports: Report[]): Promise<number> =>
  reports.length < REPORTS_REMEMBERED_MIN
    ? takeAll(deps, ref, reports).then(({ accepted }) => accepted)
    : takeUnlessKnown(deps, ref, reports);

/**
 * To remember reports costs a read and, when they are new, a write; each that is known already saves a read.
 */
const REPORTS_REMEMBERED_MIN = 5;

/**
 * A listener reports everything every few minutes, mostly the same again. Reports that changed nothing change
 * nothing either while nothing has changed but by them: then no deployment is read.
 */
async function takeUnlessKnown(
  { table, ...deps }: StatusDeps,
  ref: ListenerRef,
  reports: Report[],
): Promise<number> {
  // Before the deployments: what changes meanwhile makes another version.
  const state = await placementState(table, ref);
  const digest = createHash('sha256')
    .update(JSON.stringify([state.reported, reports]))
    .digest('base64');
  const known = state.digests.find(([remembered]) => remembered === digest);
  if (known !== undefined) return known[1];
  const { accepted, isNews } = await takeAll({ table, ...deps }, ref, reports);
  if (!isNews) await write(table, rememberReports(ref, state, digest, accepted));
  return accepted;
}

async function takeAll(
  deps: StatusDeps,
  ref: ListenerRef,
  reports: Report[],
): Promise<{ accepted: number; isNews: boolean }> {
  const taken = await Promise.all(reports.map((report) => take(deps, report, ref)));
  return { accepted: taken.filter((each) => each !== 'unknown').length, isNews: taken.includes('new') };
}

async function take(deps: StatusDeps, report: Report, ref: ListenerRef): Promise<Taken> {
  const { tenantId, listenerId } = ref;
  const deployment = await findDeployment(deps.table, tenantId, report.deployment_id);
  if (deployment === undefined) return confirmRemoval(deps, report, ref);
  if (deployment.listener_id !== listenerId) return 'unknown';
  const { active } = deployment;
  if (active === undefined || report.epoch < active.epoch) return 'unknown';
  const isNews = await takeThreads(deps, deployment, report);
  const next = await masked(deps, deployment, reported(active, report));
  if (isDeepStrictEqual(next, active)) return isNews ? 'new' : 'known';
  try {
    await transact(
      deps.table,
      recordReport(deployment, active, next, { epoch: report.epoch, now: deps.clock.now() }),
    );
    return 'new';
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
    const isMarkedSince =
      deployment.status !== 'AWAITING_DELETE' && error.failed.get('deployment')?.status === 'AWAITING_DELETE';
    // Otherwise another revision became active meanwhile: this report is about the one before it.
    return isMarkedSince ? take(deps, report, ref) : 'unknown';
  }
}

/**
 * The last word that was waited for, of a deployment whose records went without it: nothing runs here any
 * more.
 */
async function confirmRemoval(
  { table }: Pick<StatusDeps, 'table'>,
  report: Report,
  ref: ListenerRef,
): Promise<Taken> {
  const row = await findPlacement(table, ref, report.deployment_id);
  if (row === undefined || report.revision_id !== null || report.epoch < row.epoch) return 'unknown';
  await transact(table, removePlacement(ref, report.deployment_id));
  return 'new';
}

/** What is new of its texts, without the secrets of what runs. */
async function masked(
  deps: StatusDeps,
  { tenant_id, id, active }: Deployment,
  next: Active,
): Promise<Active> {
  if (next.reason === active?.reason && next.url === active?.url) return next;
  const mask = await revisionMask(deps, {
    tenantId: tenant_id,
    deploymentId: id,
    revisionId: next.revision_id,
  });
  return {
    ...next,
    ...(next.reason !== undefined && { reason: mask(next.reason) }),
    ...(next.url !== undefined && { url: maskAddress(next.url, mask) }),
  };
}

function reported(active: Active, report: Report): Active {
  const { reason: _, ...rest } = active;
  const reconciled = report.revision_id === active.revision_id;
  // A release has switched, and its task's end, which says so, is on its way: nobody was without an answer.
  const isAhead = report.healthy && report.revision_id !== null && report.epoch > active.epoch;
  if (!reconciled && isAhead) return { ...active, reconciled };
  const healthy = reconciled && report.healthy;
  return {
    ...rest,
    healthy,
    reconciled,
    ...(typeof report.url === 'string' && reconciled && { url: report.url }),
    ...(typeof report.reason === 'string' && !healthy && { reason: report.reason }),
  };
}
