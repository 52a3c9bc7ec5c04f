import type { PublishedEvent } from '../../contract/events.ts';
import type { EventCount } from '../../domain/event-count.ts';
import { retryRaces, transact, type Write } from '../../store/dynamodb/transact.ts';
import { writeAll } from '../../store/dynamodb/write.ts';
import type { Deps } from '../deps.ts';
import { appendToFeed, type FeedCount, findFeedCount } from '../items/feed.ts';

type FeedDeps = Pick<Deps, 'table' | 'clock' | 'webhookWaker'>;

/** What is written in one transaction, and what is given to who asked for it. */
export type Prepared<R> = {
  /** What says that these events are numbered: they get no second number. */
  writes: Write[];
  /** Those that the feed does not have yet. */
  events: readonly PublishedEvent[];
  /** There are others, which it has: whoever stored them may have died before webhooks were woken. */
  again: boolean;
  /** The events are marked as numbered here, because nothing else says it. */
  marked?: boolean;
  result: R;
  /** Called when it was stored. */
  onStored?: () => void;
};

/**
 * How many events one transaction takes, marks and counts beside them: DynamoDB allows a hundred writes.
 */
export const EVENTS_AT_ONCE = 45;

/**
 * Stores events in the feeds of tenants. All events of a tenant share one count, so this process appends one
 * transaction after the other; against other processes the count is written under a condition, and the loser
 * of a race prepares anew.
 */
export class FeedWriter {
  readonly #counts = new RecentCounts<FeedCount>();
  readonly #turns = new Map<string, Promise<unknown>>();

  /** `prepare` is called again when it, or the feed, was overtaken. */
  append<R>(deps: FeedDeps, tenantId: string, prepare: () => Promise<Prepared<R>>): Promise<R> {
    const previous = this.#turns.get(tenantId) ?? Promise.resolve();
    const turn = previous.then(() => retryRaces(deps.table, () => this.#append(deps, tenantId, prepare)));
    const ended = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#turns.set(tenantId, ended);
    void ended.then(() => {
      if (this.#turns.get(tenantId) === ended) this.#turns.delete(tenantId);
    });
    return turn;
  }

  async #append<R>(deps: FeedDeps, tenantId: string, prepare: () => Promise<Prepared<R>>): Promise<R> {
    const { table, clock } = deps;
    const { writes, events, again, marked = false, result, onStored } = await prepare();
    if (events.length > 0) {
      // Taken, so that a race that is lost reads it.
      const before = this.#counts.take(tenantId) ?? (await findFeedCount(table, tenantId));
      const feed = appendToFeed(tenantId, before, events, { now: clock.now(), marked });
      await transact(table, [...writes, ...feed.writes]);
      this.#counts.note(tenantId, feed.after);
      onStored?.();
      await wakeAll(deps, tenantId, feed.after);
      return result;
    }
    if (writes.length > 0) await writeAll(table, writes);
    onStored?.();
    if (again) await wakeAll(deps, tenantId, await findFeedCount(table, tenantId));
    return result;
  }
}

async function wakeAll(
  { webhookWaker }: FeedDeps,
  tenantId: string,
  count: FeedCount | undefined,
): Promise<void> {
  await Promise.all((count?.webhooks ?? []).map((webhookId) => webhookWaker.wake({ tenantId, webhookId })));
}

/** What a consumer of the stream remembers from one call to the next. */
export type EventMemory = { counts: RecentCounts; feed: FeedWriter };

export const newMemory = (): EventMemory => ({ counts: new RecentCounts(), feed: new FeedWriter() });

/** So many owners that change at the same time find their counts here; a count takes a few kilobytes. */
const OWNERS_MAX = 500;

/**
 * The counts of events that this process was the last to write, as far as it knows: an owner's events come in
 * quick succession, and each write says whether the count is still this one. Those that were written longest
 * ago are forgotten.
 */
export class RecentCounts<C = EventCount> {
  readonly #counts = new Map<string, C>();

  /** Gives a count away: whoever could write the next one says so with `note`. */
  take(ownerId: string): C | undefined {
    const count = this.#counts.get(ownerId);
    this.#counts.delete(ownerId);
    return count;
  }

  note(ownerId: string, count: C): void {
    this.#counts.delete(ownerId);
    this.#counts.set(ownerId, count);
    if (this.#counts.size <= OWNERS_MAX) return;
    const [oldest = ''] = this.#counts.keys();
    this.#counts.delete(oldest);
  }
}
