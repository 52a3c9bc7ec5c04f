import { LEASE_SECONDS } from '../../contract/listener-protocol.ts';
import { equals, guard, same, update } from '../../store/expressions.ts';
import type { OpenTask } from '../../store/items.ts';
import { openTaskKey } from '../../store/keys.ts';
import type { Write } from '../../store/operations.ts';

export type Lease = { leaseId: string; instanceId: string; now: number };

/** Gives a task, as it was read, to an instance under a new lease. */
export const leased = (task: OpenTask, { leaseId, instanceId, now }: Lease): Write =>
  update(
    'task',
    openTaskKey(task.tenant_id, task.listener_id, task.id),
    {
      set: {
        state: 'claimed',
        lease_id: leaseId,
        lease_until: now + LEASE_SECONDS * 1000,
        last_heartbeat_at: now,
        instance_id: instanceId,
      },
    },
    guard('lease: state as read', equals('state', task.state)),
    guard('lease: as read', same('lease_id', task.lease_id)),
  );

/** What a claim answers of each task, whatever there is to do. */
export const leaseFields = (task: OpenTask, { leaseId }: Lease) => ({
  task_id: task.id,
  lease_id: leaseId,
  lease_seconds: LEASE_SECONDS,
  epoch: task.epoch,
});
