import type { heartbeatTask as row } from '../../contract/routes/listener-protocol.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { ConditionsFailed, retryRaces, type Write } from '../../store/dynamodb/transact.ts';
import { writeAll } from '../../store/dynamodb/write.ts';
import type { OpenTask } from '../../store/engine/items.ts';
import { findRevision, MoveRefused } from '../../store/engine/revisions.ts';
import { announceSwitch, resumeDeploy } from '../../store/engine/transactions/claims.ts';
import { renewLease, revisionOf } from '../../store/listeners/tasks.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { heldTask } from './held-task.ts';

type HeartbeatDeps = Pick<Deps, 'table' | 'clock'>;

/**
 * Keeps a task, and tells whether to stop. A listener that was taken for lost but holds the task still takes
 * it up again. `switching` and an interrupt exclude each other: whichever is written first wins. Throws
 * `lease_taken` when a claim has renewed the lease, also one that comes at the same moment.
 */
export async function heartbeatTask(
  deps: HeartbeatDeps,
  { params, body }: Pick<RouteInput<typeof row>, 'params' | 'body'>,
  caller: Pick<Caller, 'tenantId'>,
): Promise<{ stop: boolean }> {
  return retryRaces(deps.table, async () => {
    const task = await heldTask(deps, caller.tenantId, params, body.lease_id);
    if (task.state === 'cancelled') return { stop: true };
    try {
      await writeAll(deps.table, await writesOf(deps, task, body.phase === 'switching'));
      return { stop: false };
    } catch (error) {
      if (error instanceof MoveRefused) return { stop: true };
      if (error instanceof ConditionsFailed && (await isUnwanted(deps, task))) return { stop: true };
      throw error;
    }
  });
}

/** The revision is to be interrupted or has an outcome. */
async function isUnwanted(deps: HeartbeatDeps, task: OpenTask): Promise<boolean> {
  if (task.kind === 'DELETE') return false;
  const revision = await findRevision(deps.table, revisionOf(task));
  return revision?.interrupt_requested_at !== undefined || revision?.outcome !== undefined;
}

async function writesOf(deps: HeartbeatDeps, task: OpenTask, isSwitching: boolean): Promise<Write[]> {
  const now = deps.clock.now();
  const isAsBefore = task.state === 'claimed' && !isSwitching;
  if (task.kind === 'DELETE' || isAsBefore) return [renewLease(task, now)];
  if (task.state === 'claimed') return announceSwitch(task, now);
  const revision = await findRevision(deps.table, revisionOf(task));
  if (revision === undefined) return [renewLease(task, now)];
  return resumeDeploy(task, revision, { isSwitching, now });
}
