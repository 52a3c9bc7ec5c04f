import * as z from 'zod';
import { FEED_DAYS, type PublishedEvent, publishedEvent, subjectOf } from '../../contract/events.ts';
import { absent, equals, guard, put, putNew } from '../../store/dynamodb/expressions.ts';
import { find, queryAll, queryPage } from '../../store/dynamodb/reads.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import {
  anyFeedNumber,
  eventMarkKey,
  feedAfterNumber,
  feedCountKey,
  feedEventKey,
} from '../../store/keys/events.ts';
import type { Table } from '../../store/table.ts';

const DAY_SECONDS = 86_400;
/** A record of the stream can come again for so long: a day by itself, and from the queue of what failed. */
const MARK_DAYS = 16;

/** An event under its number among all of the tenant's. */
export const storedFeedEvent = z.object({
  v: z.literal(1),
  entity: z.literal('feed_event'),
  tenant_id: z.string(),
  number: z.int(),
  event: publishedEvent,
  ttl: z.number(),
});
export type FeedEvent = Pick<z.infer<typeof storedFeedEvent>, 'number' | 'event'>;

/** Counts a tenant's events. */
export const feedCount = z.object({
  v: z.literal(1),
  entity: z.literal('feed_count'),
  tenant_id: z.string(),
  count: z.int(),
  /** The ids of the webhooks that are to hear of them. Absent: none. */
  webhooks: z.array(z.string()).optional(),
  /** Counts the changes of this item: who writes it demands that it is as it was read. */
  version: z.int(),
});
export type FeedCount = Pick<z.infer<typeof feedCount>, 'count' | 'webhooks' | 'version'>;

const feedItem = z.discriminatedUnion('entity', [storedFeedEvent, feedCount]);

/** Says that an event has its number already. Those of deployments are known by their count. */
export const eventMark = z.object({
  v: z.literal(1),
  entity: z.literal('event_mark'),
  tenant_id: z.string(),
  number: z.int(),
  ttl: z.number(),
});

export const NO_FEED: FeedCount = { count: 0, version: 0 };

export const findFeedCount = (table: Table, tenantId: string): Promise<FeedCount | undefined> =>
  find(table, feedCountKey(tenantId), feedCount);

/** Whether an event of what is no deployment has its number. */
export const isMarked = async (table: Table, event: PublishedEvent): Promise<boolean> =>
  (await find(table, eventMarkKey(event.tenant_id, subjectOf(event), event.id), eventMark)) !== undefined;

/**
 * Numbers these events and stores them, with `marked` a mark beside each. Demands that the count is as it was
 * read, and that none of the marks is there. `now`: epoch milliseconds.
 */
export function appendToFeed(
  tenantId: string,
  before: FeedCount | undefined,
  events: readonly PublishedEvent[],
  { now, marked }: { now: number; marked: boolean },
): { writes: Write[]; after: FeedCount } {
  const { count, version } = before ?? NO_FEED;
  const seconds = Math.ceil(now / 1000);
  const after = { ...before, count: count + events.length, version: version + 1 };
  const base = { v: 1, tenant_id: tenantId };
  const asRead = before === undefined ? absent('pk') : equals('version', version);
  const counted = put(
    'feed_count',
    { ...feedCountKey(tenantId), ...base, entity: 'feed_count', ...after },
    guard('feed: count as read', asRead),
  );
  const stored = events.flatMap((event, index) => {
    const number = count + index + 1;
    const expiring = { ...base, number, ttl: seconds + FEED_DAYS * DAY_SECONDS };
    const kept = put(`feed_event ${number}`, {
      ...feedEventKey(tenantId, number),
      ...expiring,
      entity: 'feed_event',
      event,
    });
    const mark = { ...expiring, entity: 'event_mark', ttl: seconds + MARK_DAYS * DAY_SECONDS };
    const key = eventMarkKey(tenantId, subjectOf(event), event.id);
    return marked ? [kept, putNew(`event_mark ${event.id}`, { ...key, ...mark })] : [kept];
  });
  return { writes: [counted, ...stored], after };
}

/** The event with this number; undefined once it has expired. */
export async function findFeedEvent(
  table: Table,
  tenantId: string,
  number: number,
): Promise<FeedEvent | undefined> {
  return find(table, feedEventKey(tenantId, number), storedFeedEvent);
}

export type FeedPage = {
  events: FeedEvent[];
  /** How many events the tenant has had; undefined where more events follow than were read. */
  count: number | undefined;
};

/** At most `limit` events after a number, in their order, strongly consistent. */
export async function feedAfter(
  table: Table,
  tenantId: string,
  after: number,
  limit: number,
): Promise<FeedPage> {
  const { pk } = feedCountKey(tenantId);
  const between = feedAfterNumber(after);
  const events: FeedEvent[] = [];
  let startAfter: Awaited<ReturnType<typeof queryPage>>['lastKey'];
  do {
    // With the count, which lies behind them: who reads to the end learns that in the same request.
    const page = await queryPage(table, feedItem, {
      pk,
      between,
      limit: limit + 1 - events.length,
      ...(startAfter !== undefined && { startAfter }),
    });
    for (const item of page.items) {
      if (item.entity === 'feed_count') return { events, count: item.count };
      if (events.length === limit) return { events, count: undefined };
      events.push({ number: item.number, event: item.event });
    }
    startAfter = page.lastKey;
  } while (startAfter !== undefined);
  return { events, count: undefined };
}

/**
 * A tenant's events, newest first, `limit` read at a time. Eventually consistent, at half the price: for
 * pages that tell what happened, and come late anyway.
 */
export const feedNewestFirst = (table: Table, tenantId: string, limit: number): AsyncGenerator<FeedEvent> =>
  queryAll(table, storedFeedEvent, {
    pk: feedCountKey(tenantId).pk,
    between: anyFeedNumber,
    newestFirst: true,
    limit,
    eventually: true,
  });

/** What a tenant's feed says of who hears of its events, as it is read before it is changed. */
export function changeFollowers(
  tenantId: string,
  before: FeedCount | undefined,
  change: { add: string } | { remove: string },
): Write {
  const { count, version, webhooks = [] } = before ?? NO_FEED;
  const after =
    'add' in change
      ? [...webhooks.filter((id) => id !== change.add), change.add]
      : webhooks.filter((id) => id !== change.remove);
  const base = { v: 1, tenant_id: tenantId, entity: 'feed_count' };
  return put(
    'feed_count',
    { ...feedCountKey(tenantId), ...base, count, version: version + 1, webhooks: after },
    guard('feed: count as read', before === undefined ? absent('pk') : equals('version', version)),
  );
}
