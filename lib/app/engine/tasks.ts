import { absent, equals, guard, put, same, update } from '../../store/expressions.ts';
import type { Deployment, OpenTask } from '../../store/items.ts';
import { deploymentKey, openTaskKey } from '../../store/keys.ts';
import { transact, type Write } from '../../store/operations.ts';
import { addressStays, place } from '../../store/placements.ts';
import { endTask } from '../../store/tasks.ts';
import { write } from '../../store/write.ts';
import type { EngineDeps, Loaded } from './situation.ts';

/** A task as it is offered, under the deployment's next epoch. */
export const newTask = (
  { clock }: Pick<EngineDeps, 'clock'>,
  deployment: Deployment,
  what: Pick<OpenTask, 'kind' | 'revision_id'>,
): OpenTask => ({
  v: 1,
  entity: 'task',
  tenant_id: deployment.tenant_id,
  id: clock.orderedId(),
  ...what,
  listener_id: deployment.listener_id,
  deployment_id: deployment.id,
  epoch: deployment.epoch + 1,
  state: 'offered',
  offered_at: clock.now(),
});

export const putTask = (task: OpenTask): Write =>
  put(
    'task',
    { ...openTaskKey(task.tenant_id, task.listener_id, task.id), ...task },
    guard('creation: not there yet', absent('pk')),
  );

/** A claimed task may be claimed again, under the deployment's next epoch. `now`: epoch milliseconds. */
export function offeredAgain(deployment: Deployment, task: OpenTask, now: number): Write[] {
  const epoch = deployment.epoch + 1;
  return [
    update(
      'task',
      openTaskKey(task.tenant_id, task.listener_id, task.id),
      { set: { state: 'offered', epoch, offered_at: now } },
      guard('lease: claimed', equals('state', 'claimed')),
      guard('lease: not renewed', equals('lease_until', task.lease_until)),
    ),
    update(
      'deployment',
      deploymentKey(deployment.tenant_id, deployment.id),
      { set: { epoch } },
      guard('epoch: as read', equals('epoch', deployment.epoch)),
      addressStays(deployment),
    ),
    ...place(deployment, wantedOf(deployment), epoch, true),
  ];
}

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
      guard('epoch: as read', equals('epoch', deployment.epoch)),
      guard('task: as read', same('task_id', deployment.task_id)),
      addressStays(deployment),
    ),
    ...place(deployment, wantedOf(deployment), epoch, false),
  ];
}

/** What the listener should run while there is no task: of what is being removed nothing. */
const wantedOf = ({ slot, active }: Deployment): string | undefined =>
  slot?.kind === 'delete' ? undefined : active?.revision_id;

/** Tells the listener that holds it to stop. */
export async function cancelTask(deps: EngineDeps, { task }: Loaded): Promise<void> {
  if (task === undefined) return;
  const key = openTaskKey(task.tenant_id, task.listener_id, task.id);
  await write(
    deps.table,
    update('task', key, { set: { state: 'cancelled' } }, guard('lease: claimed', equals('state', 'claimed'))),
  );
}
