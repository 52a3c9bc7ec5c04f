import { transact } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import { firstQueued } from '../items/queue.ts';
import type { EngineDeps, Loaded } from './load.ts';
import { endQueue } from './transactions/deletions.ts';
import { requestInterrupt } from './transactions/interrupts.ts';
import { takeSlotToDeleteWrite } from './transactions/slots.ts';
import { offerAgain, offerDeletionWrites } from './transactions/tasks.ts';

/** Ends the queued revisions of a deployment that is being deleted, as many as a transaction takes. */
export async function endQueued(
  { table, clock }: Pick<EngineDeps, 'table' | 'clock'>,
  { deployment }: Pick<Loaded, 'deployment'>,
): Promise<void> {
  const queued = await firstQueued(table, deployment);
  await transact(table, endQueue(deployment, queued, clock.now()));
}

/** Gives the free slot to the deletion. It is never given back: the deployment goes with it. */
export async function takeSlotToDelete(deps: EngineDeps, { owner }: Loaded): Promise<void> {
  await write(deps.table, takeSlotToDeleteWrite(owner, deps.clock.now()));
}

/** Asks for the revision in the slot to be stopped, which was too late when the deletion was asked for. */
export async function interruptForDeletion(deps: EngineDeps, { slotRevision }: Loaded): Promise<void> {
  if (slotRevision !== undefined) await write(deps.table, requestInterrupt(slotRevision, deps.clock.now()));
}

/**
 * Offers to the listener to remove what it runs of the deployment; only while no other task of it is open.
 */
export async function offerDeletion(deps: EngineDeps, { deployment }: Loaded): Promise<void> {
  const offer = { id: deps.clock.orderedId(), now: deps.clock.now() };
  await transact(deps.table, offerDeletionWrites(deployment, offer));
}

/** The lease ran out: whoever asks next may take it up. */
export async function offerDeletionAgain(deps: EngineDeps, { deployment, task }: Loaded): Promise<void> {
  if (task?.state === 'claimed') await transact(deps.table, offerAgain(deployment, task, deps.clock.now()));
}
