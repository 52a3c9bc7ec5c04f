import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type EventCount,
  firstOf,
  type History,
  missedBefore,
  type News,
  NO_EVENTS,
  numberNews,
} from '../../../lib/domain/event-count.ts';

type Event = { at: string; name: string };
type Revision = { number: number; statuses: string[]; length: number };

const WAY = ['CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING', 'DEPLOYED'];

/** A revision as it is after some change, `known` of its statuses being older than that. */
const historyOf = ({ number, statuses }: Revision, known: number): History<Event> => ({
  number,
  known,
  events: statuses.map((at, place) => ({
    name: `${number}.${place}`,
    event: { at, name: `${number}.${place}` },
  })),
  hasBegun: statuses.length > 2,
  isEnded: statuses.length === WAY.length,
});

/** What a stream says and a table holds, change by change. */
class Deployment {
  readonly records: History<Event>[] = [];
  /** The table after each record. */
  readonly tables: Revision[][] = [];
  #revisions: Revision[] = [];
  #time = 0;

  /** Another revision is queued, or the one whose turn it is goes on. */
  change(isNew: boolean): void {
    const current = this.#revisions.find(({ statuses }) => statuses.length < WAY.length);
    if (isNew || current === undefined) {
      const number = this.#revisions.length + 1;
      const made = { number, statuses: [this.#now(), this.#now()], length: WAY.length };
      this.#revisions = [...this.#revisions, made];
      return this.#keep(made, 0);
    }
    const known = current.statuses.length;
    const next = { ...current, statuses: [...current.statuses, this.#now()] };
    this.#revisions = this.#revisions.map((each) => (each === current ? next : each));
    this.#keep(next, known);
  }

  #now = (): string => String((this.#time += 1)).padStart(6, '0');

  #keep(revision: Revision, known: number): void {
    this.records.push(historyOf(revision, known));
    this.tables.push(this.#revisions);
  }
}

/** As the consumer does: what was missed first, from the table. */
class Consumer {
  count: EventCount = NO_EVENTS;
  /** So many events are numbered at once. */
  readonly max: number;
  readonly told: { name: string; sequence: number }[] = [];

  constructor(max = Number.POSITIVE_INFINITY) {
    this.max = max;
  }

  tell(news: News<Event>[], table: Revision[]): void {
    const asked = new Set<number>();
    for (;;) {
      const missed = missedBefore(this.count, news).filter((number) => !asked.has(number));
      if (missed.length === 0) return this.#number(news, false);
      for (const number of missed) asked.add(number);
      const found = table.filter(({ number }) => missed.includes(number));
      this.#number(
        found.map((each) => historyOf(each, each.statuses.length)),
        true,
      );
    }
  }

  #number(news: News<Event>[], byTime: boolean): void {
    for (;;) {
      const first = firstOf(this.count, news, this.max, { byTime });
      const { count, numbered } = numberNews(this.count, first, { byTime });
      expect(count.sequence - this.count.sequence).toBeLessThanOrEqual(this.max);
      this.count = count;
      this.told.push(...numbered.map(({ event: { name }, sequence }) => ({ name, sequence })));
      if (first === news) return;
    }
  }
}

const changes = fc.array(fc.boolean(), { minLength: 1, maxLength: 120 });
/** Records are delivered in batches, some again, or are lost, while the table may be ahead of them. */
const steps = fc.array(
  fc.record({
    lost: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 30 })),
    again: fc.oneof(
      { weight: 5, arbitrary: fc.integer({ min: 0, max: 12 }) },
      fc.integer({ min: 60, max: 120 }),
    ),
    length: fc.integer({ min: 1, max: 20 }),
    ahead: fc.integer({ min: 0, max: 10 }),
  }),
  { maxLength: 40 },
);

/**
 * Each event has one number, there are no gaps, and no revision begins before the one before it has ended, in
 * the numbers too.
 */
function expectNumbered({ told }: Consumer, table: Revision[]): void {
  const numbers = new Map<string, number>();
  for (const { name, sequence } of told) {
    expect([name, numbers.get(name) ?? sequence]).toEqual([name, sequence]);
    numbers.set(name, sequence);
  }
  const all = [...numbers.values()].sort((a, b) => a - b);
  expect(all).toEqual(all.map((_, index) => index + 1));
  let before = 0;
  for (const { number, statuses } of table.filter((each) => each.statuses.length === WAY.length)) {
    const own = statuses.map((_, place) => numbers.get(`${number}.${place}`) ?? Number.NaN);
    expect(own).toEqual(own.toSorted((a, b) => a - b));
    expect([number, own.every(Number.isInteger)]).toEqual([number, true]);
    expect(own[2]).toBeGreaterThan(before);
    before = own.at(-1) ?? 0;
  }
}

describe('the numbers of events', () => {
  it('are those of all that happened, each once, from 1, without gaps, whatever is lost and delivered again', () => {
    fc.assert(
      fc.property(
        changes,
        steps,
        fc.boolean(),
        fc.integer({ min: 1, max: 9 }),
        (made, deliveries, loses, max) => {
          const deployment = new Deployment();
          for (const isNew of made) deployment.change(isNew);
          const { records, tables } = deployment;
          const consumer = new Consumer(max);
          let next = 0;
          for (const { lost, again, length, ahead } of deliveries) {
            if (loses) next = Math.min(records.length, next + lost);
            const batch = records.slice(
              Math.max(0, next - (lost === 0 || !loses ? again : 0)),
              next + length,
            );
            next = Math.min(records.length, next + length);
            const table = tables[Math.min(tables.length - 1, next - 1 + ahead)] ?? [];
            if (batch.length > 0) consumer.tell(batch, table);
          }
          const last = tables.at(-1) ?? [];
          if (!loses && next < records.length) consumer.tell(records.slice(next), last);
          // The look at what ended last: what is told of it settles all before it.
          const newest = last.findLast(({ statuses }) => statuses.length === WAY.length);
          if (newest !== undefined) consumer.tell([historyOf(newest, newest.statuses.length)], last);
          expectNumbered(consumer, last);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('are in the order of what happened, also for what was missed', () => {
    const missed = [
      { number: 1, statuses: ['01', '02', '03', '07', '08'], length: WAY.length },
      { number: 2, statuses: ['04', '05'], length: WAY.length },
    ].map((each) => historyOf(each, each.statuses.length));
    const { numbered } = numberNews(NO_EVENTS, missed, { byTime: true });
    expect(numbered.map(({ event }) => event.at)).toEqual(['01', '02', '03', '04', '05', '07', '08']);
  });

  it('stay as they are when nothing is new', () => {
    const news: News<Event>[] = [{ name: 'created', event: { at: '', name: 'created' } }];
    const { count } = numberNews(NO_EVENTS, news);
    const again = numberNews(count, news);
    expect(again.count).toBe(count);
    expect(again.numbered.map(({ sequence }) => sequence)).toEqual([1]);
  });

  it('are remembered of all of a batch that is longer than what is remembered otherwise', () => {
    const news = Array.from({ length: 200 }, (_, n) => ({ name: `n${n}`, event: { at: '', name: `n${n}` } }));
    const first = numberNews(NO_EVENTS, news);
    expect(numberNews(first.count, news).numbered).toEqual(first.numbered);
  });
});
