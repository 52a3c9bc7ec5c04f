import { absent, equals, guard, update } from '../../store/expressions.ts';
import { deploymentKey, revisionKey } from '../../store/keys.ts';
import { findListener, lastSeenOf } from '../../store/listeners.ts';
import { transact } from '../../store/operations.ts';
import { addressStays, place } from '../../store/placements.ts';
import { inFlightDue, move, refOf, revise } from '../../store/revisions.ts';
import { recordFailure } from './record-failure.ts';
import type { EngineDeps, Loaded } from './situation.ts';
import { newTask, offeredAgain, putTask } from './tasks.ts';

/** Offers the revision's deploy to its listener; only while the deployment has no other task open. */
export async function offerTask(
  deps: Pick<EngineDeps, 'table' | 'clock'>,
  { owner, deployment, slotRevision }: Pick<Loaded, 'owner' | 'deployment' | 'slotRevision'>,
): Promise<void> {
  if (slotRevision === undefined) return;
  const now = deps.clock.now();
  const task = newTask(deps, deployment, { kind: 'DEPLOY', revision_id: slotRevision.id });
  const at = revisionKey(owner.tenantId, owner.deploymentId, slotRevision.number);
  await transact(deps.table, [
    putTask(task),
    revise(
      refOf(slotRevision),
      { set: { task_id: task.id, ...inFlightDue(at, now) } },
      guard('transition: status as read', equals('status', 'AWAITING_DEPLOY')),
      guard('task: none was offered', absent('task_id')),
      guard('interrupt: none is asked for', absent('interrupt_requested_at')),
    ),
    update(
      'deployment',
      deploymentKey(owner.tenantId, owner.deploymentId),
      { set: { epoch: task.epoch, task_id: task.id } },
      guard('epoch: as read', equals('epoch', deployment.epoch)),
      guard('task: none is open', absent('task_id')),
      addressStays(deployment),
    ),
    ...place(deployment, deployment.active?.revision_id, task.epoch, true),
  ]);
}

/** The lease ran out: what the listener made of the deploy is not known. The task is offered again, under a new epoch. */
export async function markUnknown(
  deps: EngineDeps,
  { owner, deployment, slotRevision, task }: Loaded,
): Promise<void> {
  if (slotRevision === undefined || task === undefined) return;
  const now = deps.clock.now();
  const at = revisionKey(owner.tenantId, owner.deploymentId, slotRevision.number);
  const status_message = `${await silence(deps, { owner, deployment, task })} Whether it was deployed is not known: what the listener says next decides; the revision fails ${deps.settings.silentSeconds} seconds after that time if it says nothing.`;
  const set = { ...inFlightDue(at, now), status_message };
  await transact(deps.table, [
    move(
      slotRevision,
      'UNKNOWN',
      now,
      { set, remove: ['switching'] },
      guard('outcome: none is recorded', absent('outcome')),
    ),
    ...offeredAgain(deployment, task, now),
  ]);
}

export async function failUnclaimed(deps: EngineDeps, loaded: Loaded): Promise<void> {
  const { listener, lastSeenAt } = await lastSeenOf(
    deps.table,
    loaded.owner.tenantId,
    loaded.deployment.listener_id,
  );
  const name = listener?.compute_id ?? loaded.deployment.listener_id;
  const since = lastSeenAt === undefined ? 'it was registered' : new Date(lastSeenAt).toISOString();
  await recordFailure(deps, loaded, 'deploy', `Listener ${name} has not asked for work since ${since}.`);
}

export async function failSilent(deps: EngineDeps, loaded: Loaded): Promise<void> {
  await recordFailure(deps, loaded, 'deploy', await silence(deps, loaded));
}

/** Who was heard last when, in a sentence. */
async function silence(
  { table }: Pick<EngineDeps, 'table'>,
  { owner, deployment, task }: Pick<Loaded, 'owner' | 'deployment' | 'task'>,
): Promise<string> {
  const listener = await findListener(table, owner.tenantId, deployment.listener_id);
  const name = listener?.compute_id ?? deployment.listener_id;
  const since = new Date(task?.last_heartbeat_at ?? 0).toISOString();
  return `Listener ${name} went silent while deploying; it was last heard at ${since}.`;
}
