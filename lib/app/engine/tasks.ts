import { equals, same, update } from '../../store/expressions.ts';
import { deploymentKey, openTaskKey } from '../../store/keys.ts';
import { transact, type Write } from '../../store/operations.ts';
import { endTask } from '../../store/tasks.ts';
import { place } from './end-revision.ts';
import type { EngineDeps, Loaded } from './situation.ts';

/**
 * Ends a task that nobody needs or answers any more. What its listener may still say of it comes with a lower epoch and is
 * refused.
 */
export async function releaseTask(deps: EngineDeps, loaded: Loaded): Promise<void> {
  const { task } = loaded;
  if (task === undefined) return;
  await transact(deps.table, [...endTask(task, 'released', false, deps.clock.now()), ...withoutTask(loaded)]);
}

/** The deployment without its open task: the epoch rises, and the listener may bring it to what is desired. */
export function withoutTask({ owner, deployment }: Pick<Loaded, 'owner' | 'deployment'>): Write[] {
  const epoch = deployment.epoch + 1;
  return [
    update(
      'deployment',
      deploymentKey(owner.tenantId, owner.deploymentId),
      { set: { epoch }, remove: ['task_id'] },
      equals('epoch', deployment.epoch),
      same('task_id', deployment.task_id),
    ),
    place(deployment, deployment.active?.revision_id, epoch, false),
  ];
}

/** Tells the listener that holds it to stop. */
export async function cancelTask(deps: EngineDeps, { task }: Loaded): Promise<void> {
  if (task === undefined) return;
  const key = openTaskKey(task.tenant_id, task.listener_id, task.id);
  await transact(deps.table, [
    update('task', key, { set: { state: 'cancelled' } }, equals('state', 'claimed')),
  ]);
}
