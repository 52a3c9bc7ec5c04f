import { LEASE_SECONDS } from '../../contract/listener-protocol.ts';
import type { heartbeatTask as row } from '../../contract/routes/listener-protocol.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { absent, equals, guard, oneOf, update } from '../../store/expressions.ts';
import type { OpenTask } from '../../store/items.ts';
import { openTaskKey } from '../../store/keys.ts';
import { ConditionsFailed, retryRaces, type Write } from '../../store/operations.ts';
import { findRevision, MoveRefused, move, revise } from '../../store/revisions.ts';
import { writeAll } from '../../store/write.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { heldTask } from './held-task.ts';

type HeartbeatDeps = Pick<Deps, 'table' | 'clock'>;

/**
 * Keeps a task, and tells whether to stop. A listener that was taken for lost but holds the task still takes it up again.
 * `switching` and an interrupt exclude each other: whichever is written first wins. Throws `lease_taken` when a claim has renewed the
 * lease, also one that comes at the same moment.
 */
export async function heartbeatTask(
  deps: HeartbeatDeps,
  { params, body }: Pick<RouteInput<typeof row>, 'params' | 'body'>,
  caller: Caller,
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
  const revision = await findRevision(deps.table, refOf(task));
  return revision?.interrupt_requested_at !== undefined || revision?.outcome !== undefined;
}

const refOf = (task: OpenTask) => ({
  tenantId: task.tenant_id,
  deploymentId: task.deployment_id,
  revisionId: task.revision_id ?? '',
});

async function writesOf(deps: HeartbeatDeps, task: OpenTask, switching: boolean): Promise<Write[]> {
  const now = deps.clock.now();
  const kept = update(
    'task',
    openTaskKey(task.tenant_id, task.listener_id, task.id),
    { set: { state: 'claimed', lease_until: now + LEASE_SECONDS * 1000, last_heartbeat_at: now } },
    guard('lease: its own', equals('lease_id', task.lease_id)),
    guard('lease: not cancelled', oneOf('state', ['offered', 'claimed'])),
  );
  if (task.kind === 'DELETE' || (task.state === 'claimed' && !switching)) return [kept];
  const ref = refOf(task);
  const unstopped = [
    guard('interrupt: none is asked for', absent('interrupt_requested_at')),
    guard('outcome: none is recorded', absent('outcome')),
  ];
  if (task.state === 'claimed') {
    const announced = revise(ref, { set: { switching: true } }, ...unstopped);
    return [kept, announced];
  }
  const revision = await findRevision(deps.table, ref);
  if (revision === undefined) return [kept];
  const change = switching ? { set: { switching: true } } : {};
  return [kept, move(revision, 'DEPLOYING', now, change, ...unstopped)];
}
