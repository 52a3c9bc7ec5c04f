import { idOfRing } from '../../adapters/doorbell.ts';
import type { Unpublished } from '../../adapters/events.ts';
import type { OtherEvent } from '../../contract/events.ts';
import type { Deps } from '../../core/deps.ts';
import {
  auditedBy,
  type ChangedItem,
  type ChangeRecord,
  changedItem,
  newsOf,
} from '../../core/events/changed-item.ts';
import { EVENTS_AT_ONCE, type EventMemory, newMemory } from '../../core/events/feed-writer.ts';
import { publishNews } from '../../core/events/publish.ts';
import { auditEventOf, putAuditEvent } from '../../core/items/audit-events.ts';
import { putUnpublishedOtherEvent } from '../../core/items/events.ts';
import { isMarked } from '../../core/items/feed.ts';
import { deploymentOf } from '../../core/items/item-places.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { writeAll } from '../../store/dynamodb/write.ts';
import { otherEventsOf, wakesOf } from './other-events.ts';
import { ringsOf } from './rings.ts';

type ChangeDeps = Pick<Deps, 'table' | 'clock' | 'events' | 'settings' | 'webhookWaker' | 'doorbellWaker'>;
type RecordDeps = ChangeDeps & EventMemory;
type OnError = (error: unknown, pk: string) => void;

/** A transaction takes a hundred writes. */
const WRITES_MAX = 100;

/**
 * Makes audit events and published events of what changed. The stream is the outbox: a request writes
 * nothing twice.
 *
 * Why nothing is lost, and nothing published out of order: a record is delivered until this says that it is
 * done, and five times at least before it becomes a dead letter. Events are numbered and stored in the
 * tenant's feed in one transaction before they are published, in the order of the stream. A record that is
 * delivered again finds its number there, and is published again under it. Events that cannot be published
 * (the bus is out of reach for longer than its client tries) are stored with their numbers, and sweep
 * publishes them. Beside the count stands how much of each revision is published. What the stream has lost
 * (it keeps a record for a day) is published from the revisions' histories before whatever comes next, or
 * when sweep checks a revision that has ended. Audit events are items under ids that the requests chose, so
 * that a record delivered twice writes the same item twice.
 *
 * What is made here remembers counts from one call to the next. It returns the sequence numbers of records
 * to be delivered again.
 */
export function changesRecorder(): (
  deps: ChangeDeps,
  records: readonly ChangeRecord[],
  onError: OnError,
) => Promise<string[]> {
  const memory = newMemory();
  return (deps, records, onError) => recordChanges({ ...deps, ...memory }, records, onError);
}

async function recordChanges(
  deps: RecordDeps,
  records: readonly ChangeRecord[],
  onError: OnError,
): Promise<string[]> {
  const failed = await Promise.all(
    [...Map.groupBy(records, ({ pk }) => pk)].map(async ([pk, own]) => {
      try {
        const changes = own.map(changedItem);
        await recordAudit(deps, changes);
        for (const wake of changes.flatMap(wakesOf)) await deps.webhookWaker.wake(wake);
        const unpublished =
          (await recordEvents(deps, pk, changes)) ??
          (await publishOthers(deps, changes.flatMap(otherEventsOf)));
        if (unpublished !== undefined)
          onError(new Error(`events are kept for sweep to publish: ${unpublished.reason}`), pk);
        // Last, and no reason to deliver the records again: what a lost ring told of is claimed later.
        await wakeDoorbell(deps, changes).catch((error: unknown) => onError(error, pk));
        return [];
      } catch (error) {
        onError(error, pk);
        return own.map(({ sequenceNumber }) => sequenceNumber);
      }
    }),
  );
  return failed.flat();
}

/** All of one partition are mostly of one listener: it is woken for once. */
async function wakeDoorbell({ doorbellWaker }: RecordDeps, changes: ChangedItem[]): Promise<void> {
  if (doorbellWaker === undefined) return;
  const rings = new Map(changes.flatMap(ringsOf).map((ref) => [idOfRing(ref), ref]));
  for (const ref of rings.values()) await doorbellWaker.wake(ref);
}

async function recordAudit(deps: RecordDeps, changes: ChangedItem[]): Promise<void> {
  const writes = changes.flatMap((change): Write[] => {
    const found = auditedBy(change);
    if (found === undefined) return [];
    const { mark, of } = found;
    return [putAuditEvent({ tenantId: mark.tenant_id }, auditEventOf(mark, of, deps.settings.auditDays))];
  });
  await inTransactions(deps, writes);
}

async function recordEvents(
  deps: RecordDeps,
  pk: string,
  changes: ChangedItem[],
): Promise<Unpublished | undefined> {
  const ref = deploymentOf(pk);
  const news = changes.flatMap(newsOf);
  return ref === undefined || news.length === 0 ? undefined : publishNews(deps, ref, news);
}

async function inTransactions({ table }: RecordDeps, writes: Write[]): Promise<void> {
  for (let start = 0; start < writes.length; start += WRITES_MAX) {
    await writeAll(table, writes.slice(start, start + WRITES_MAX));
  }
}

type OtherDeps = Pick<Deps, 'table' | 'clock' | 'events' | 'webhookWaker'> & Pick<EventMemory, 'feed'>;

/**
 * Stores events of what is no deployment in the tenant's feed, and publishes them. What they are of counts
 * its changes itself; a mark beside each event says that it has its number in the feed. All are of one
 * tenant. Gives what could not be published, which is stored for sweep.
 */
async function publishOthers(
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
    unpublished.events.map((event) => putUnpublishedOtherEvent(event, now)),
  );
  return unpublished;
}
