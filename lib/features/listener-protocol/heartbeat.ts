import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { announceSwitch, noteWait, resumeDeploy } from '../../core/engine/transactions/claims.ts';
import type { OpenTask } from '../../core/items/items.ts';
import { findRevision, MoveRefused } from '../../core/items/revisions.ts';
import { renewLease, revisionOf } from '../../core/items/tasks.ts';
import { ConditionsFailed, retryRaces, type Write } from '../../store/dynamodb/transact.ts';
import { writeAll } from '../../store/dynamodb/write.ts';
import { heldTask } from './held-task.ts';
import { revisionMask } from './masked.ts';
import type { heartbeatTask as row } from './routes.ts';
import type { HeartbeatRequest } from './shape.ts';

type HeartbeatDeps = Pick<Deps, 'table' | 'clock' | 'keys' | 'agentSecrets'>;

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
      await writeAll(deps.table, await writesOf(deps, task, body));
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

async function writesOf(
  deps: HeartbeatDeps,
  task: OpenTask,
  { phase, status_message: said }: HeartbeatRequest,
): Promise<Write[]> {
  const now = deps.clock.now();
  const isSwitching = phase === 'switching';
  if (task.kind === 'DELETE') return [renewLease(task, now)];
  // Nothing to hide is in an empty one, and most heartbeats have none.
  const waitsFor =
    said === undefined || said === '' ? said : (await revisionMask(deps, revisionOf(task)))(said);
  if (task.state === 'claimed') {
    if (isSwitching) return announceSwitch(task, { waitsFor, now });
    return waitsFor === undefined ? [renewLease(task, now)] : noteWait(task, { waitsFor, now });
  }
  const revision = await findRevision(deps.table, revisionOf(task));
  if (revision === undefined) return [renewLease(task, now)];
  return resumeDeploy(task, revision, { isSwitching, waitsFor, now });
}
