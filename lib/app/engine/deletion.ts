import { absent, equals, guard, update } from '../../store/expressions.ts';
import type { Deployment } from '../../store/items.ts';
import { deploymentKey } from '../../store/keys.ts';
import { transact } from '../../store/operations.ts';
import { place } from '../../store/placements.ts';
import { write } from '../../store/write.ts';
import { interruptRequest } from '../revisions/interrupt-request.ts';
import type { EngineDeps, Loaded } from './situation.ts';
import { newTask, offeredAgain, putTask } from './tasks.ts';

/** Gives the free slot to the deletion. It is never given back: the deployment goes with it. */
export async function takeSlotToDelete(deps: EngineDeps, { owner }: Loaded): Promise<void> {
  const since = new Date(deps.clock.now()).toISOString();
  // No revision's: their numbers begin with 1.
  const slot: Deployment['slot'] = { kind: 'delete', revision_id: '', number: 0, since };
  await write(
    deps.table,
    update(
      'deployment',
      deploymentKey(owner.tenantId, owner.deploymentId),
      { set: { slot } },
      guard('slot: free', absent('slot')),
      guard('deletion: asked for', equals('status', 'AWAITING_DELETE')),
      guard('slot: nothing is queued', equals('queued', [])),
    ),
  );
}

/** Asks for the revision in the slot to be stopped, which was too late when the deletion was asked for. */
export async function interruptForDeletion(deps: EngineDeps, { slotRevision }: Loaded): Promise<void> {
  if (slotRevision !== undefined) await write(deps.table, interruptRequest(slotRevision, deps.clock.now()));
}

/** Offers to the listener to remove what it runs of the deployment; only while no other task of it is open. */
export async function offerDeletion(deps: EngineDeps, { owner, deployment }: Loaded): Promise<void> {
  const task = newTask(deps, deployment, { kind: 'DELETE' });
  await transact(deps.table, [
    putTask(task),
    update(
      'deployment',
      deploymentKey(owner.tenantId, owner.deploymentId),
      { set: { epoch: task.epoch, task_id: task.id } },
      guard('epoch: as read', equals('epoch', deployment.epoch)),
      guard('deletion: has the slot', equals('slot.kind', 'delete')),
      guard('task: none is open', absent('task_id')),
    ),
    ...place(deployment, undefined, task.epoch, true),
  ]);
}

/** The lease ran out: whoever asks next may take it up. */
export async function offerDeletionAgain(deps: EngineDeps, { deployment, task }: Loaded): Promise<void> {
  if (task !== undefined) await transact(deps.table, offeredAgain(deployment, task, deps.clock.now()));
}
