import { LEASE_SECONDS, type ListenerTask } from '../../contract/listener-protocol.ts';
import { equals, guard, update } from '../../store/expressions.ts';
import type { OpenTask } from '../../store/items.ts';
import { deploymentKey, due } from '../../store/keys.ts';
import { transact } from '../../store/operations.ts';
import type { Deps } from '../deps.ts';
import { type Lease, leased, leaseFields } from './lease.ts';

/** Claims the removal of what runs of a deployment. Sweep looks whether the lease is kept. */
export async function claimDeletion(
  { table }: Pick<Deps, 'table'>,
  task: OpenTask,
  lease: Lease,
): Promise<ListenerTask> {
  const key = deploymentKey(task.tenant_id, task.deployment_id);
  const looked = due(key.pk, lease.now + LEASE_SECONDS * 1000);
  await transact(table, [
    leased(task, lease),
    update('deployment', key, { set: looked }, guard('task: still open', equals('task_id', task.id))),
  ]);
  return {
    kind: 'DELETE',
    deployment_id: task.deployment_id,
    revision_id: null,
    ...leaseFields(task, lease),
  };
}
