import { write } from '../../store/dynamodb/write.ts';
import { eventsIn, forgetUnsentEvents, unsentEventsOf } from '../../store/event-items.ts';
import type { Deps } from '../deps.ts';

/** Tells what nobody could be told before, oldest first. Throws when that is still so: it stays, and is due at the next sweep again. */
export async function resendEvents(
  deps: Pick<Deps, 'table' | 'events'>,
  owner: { tenantId: string; deploymentId: string },
): Promise<void> {
  for await (const item of unsentEventsOf(deps.table, owner)) {
    const unpublished = await deps.events.publish(eventsIn(item));
    if (unpublished !== undefined) throw new Error(`events cannot be told: ${unpublished.reason}`);
    await write(deps.table, forgetUnsentEvents(owner, item));
  }
}
