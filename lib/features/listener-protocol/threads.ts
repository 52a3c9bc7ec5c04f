import { isDeepStrictEqual } from 'node:util';
import { THREAD_ROWS_MAX, type ThreadCounts } from '../../contract/deployments/threads.ts';
import type { Deps } from '../../core/deps.ts';
import { recordExpired, recordThreads } from '../../core/engine/transactions/threads.ts';
import { deploymentRefOf, findDeployment } from '../../core/items/deployments.ts';
import type { Deployment } from '../../core/items/items.ts';
import { findThreads, findThreadsNews, inOrder, notYetTold } from '../../core/items/threads.ts';
import { ConditionsFailed, retryRaces, transact } from '../../store/dynamodb/transact.ts';
import type { StatusReports } from './shape.ts';

type ThreadDeps = Pick<Deps, 'table' | 'clock'>;
type Report = Pick<StatusReports[number], 'threads' | 'expired'>;

/**
 * Records what a report says of the threads of its deployment. Gives whether anything of it was news. What is
 * known already costs a read, and what says nothing of threads costs nothing.
 */
export async function takeThreads(deps: ThreadDeps, read: Deployment, report: Report): Promise<boolean> {
  const { threads, expired = [] } = report;
  if (threads === undefined && expired.length === 0) return false;
  let deployment: Deployment | undefined = read;
  return retryRaces(deps.table, async () => {
    if (deployment === undefined || deployment.status === 'AWAITING_DELETE') return false;
    try {
      const isCounted = threads !== undefined && (await takeCounts(deps, deployment, inOrder(threads)));
      return (await takeExpired(deps, deployment, expired)) || isCounted;
    } catch (error) {
      if (error instanceof ConditionsFailed)
        deployment = await findDeployment(deps.table, read.tenant_id, read.id);
      throw error;
    }
  });
}

async function takeCounts(
  { table, clock }: ThreadDeps,
  deployment: Deployment,
  counts: ThreadCounts[],
): Promise<boolean> {
  const before = await findThreads(table, deploymentRefOf(deployment));
  const asked = before?.releasing ?? [];
  const releasing = asked.filter((revisionId) => mayWait(counts, revisionId));
  if (isDeepStrictEqual(before?.revisions, counts) && releasing.length === asked.length) return false;
  await transact(table, recordThreads(deployment, before, { counts, releasing, now: clock.now() }));
  return true;
}

/** Where not all revisions are named, threads may wait in those that are not. */
function mayWait(counts: readonly ThreadCounts[], revisionId: string): boolean {
  const own = counts.find(({ revision_id: id }) => id === revisionId);
  return own === undefined ? counts.length >= THREAD_ROWS_MAX : own.waiting > 0;
}

async function takeExpired(
  { table }: ThreadDeps,
  deployment: Deployment,
  expired: NonNullable<Report['expired']>,
): Promise<boolean> {
  if (expired.length === 0) return false;
  const before = await findThreadsNews(table, deploymentRefOf(deployment));
  const fresh = notYetTold(before, expired);
  if (fresh.length === 0) return false;
  await transact(table, recordExpired(deployment, before, fresh));
  return true;
}
