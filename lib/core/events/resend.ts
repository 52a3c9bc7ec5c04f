import type { DeploymentRef } from '../../contract/refs.ts';
import { write } from '../../store/dynamodb/write.ts';
import { eventsIn, forgetUnsentEvents, unsentEventsOf } from '../../store/event-items.ts';
import type { Deps } from '../deps.ts';

/**
 * Publishes events that could not be published before, oldest first. Throws when they still cannot: they
 * stay, and are due at the next sweep.
 */
export async function resendEvents(
  deps: Pick<Deps, 'table' | 'events'>,
  owner: DeploymentRef,
): Promise<void> {
  for await (const item of unsentEventsOf(deps.table, owner)) {
    const unpublished = await deps.events.publish(eventsIn(item));
    if (unpublished !== undefined) throw new Error(`events cannot be published: ${unpublished.reason}`);
    await write(deps.table, forgetUnsentEvents(owner, item));
  }
}
