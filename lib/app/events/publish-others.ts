import type { Unpublished } from '../../adapters/events.ts';
import type { OtherEvent } from '../../contract/events.ts';
import type { Deps } from '../../core/deps.ts';
import { EVENTS_AT_ONCE, type EventMemory } from '../../core/events/feed-writer.ts';
import { writeAll } from '../../store/dynamodb/write.ts';
import { putUnsentOtherEvent } from '../../store/event-items.ts';
import { isMarked } from '../../store/feed.ts';

type OtherDeps = Pick<Deps, 'table' | 'clock' | 'events' | 'webhookWaker'> & Pick<EventMemory, 'feed'>;

/**
 * Stores events of what is no deployment in the tenant's feed, and publishes them. What they are of counts
 * its changes itself; a mark beside each event says that it has its number in the feed. All are of one
 * tenant. Gives what could not be published, which is stored for sweep.
 */
export async function publishOthers(
  deps: OtherDeps,
  events: readonly OtherEvent[],
): Promise<Unpublished | undefined> {
  let left: Unpublished | undefined;
  for (let start = 0; start < events.length; start += EVENTS_AT_ONCE) {
    left = (await publishSome(deps, events.slice(start, start + EVENTS_AT_ONCE))) ?? left;
  }
  return left;
}

async function publishSome(deps: OtherDeps, events: readonly OtherEvent[]): Promise<Unpublished | undefined> {
  const [first] = events;
  if (first === undefined) return undefined;
  await deps.feed.append(deps, first.tenant_id, async () => {
    const once = [...new Map(events.map((event) => [event.id, event])).values()];
    const marked = await Promise.all(once.map((event) => isMarked(deps.table, event)));
    const unmarked = once.filter((_, index) => marked[index] !== true);
    const again = unmarked.length < once.length;
    return { writes: [], events: unmarked, again, marked: true, result: undefined };
  });
  const unpublished = await deps.events.publish(events);
  if (unpublished === undefined) return undefined;
  const now = deps.clock.now();
  await writeAll(
    deps.table,
    unpublished.events.map((event) => putUnsentOtherEvent(event, now)),
  );
  return unpublished;
}
