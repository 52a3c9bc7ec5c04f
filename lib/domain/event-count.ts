/**
 * How many events a deployment has had, which the newest were, and how much of its revisions is published.
 */
export type EventCount = {
  sequence: number;
  /** The names of the newest events, oldest first. */
  recent: readonly string[];
  /** All statuses of the revisions up to this number are published. */
  settled: number;
  /** Of later revisions, by number: how many of their statuses are published. */
  published: Readonly<Record<string, number>>;
  /** Later revisions whose statuses are all published. */
  ended: readonly number[];
};

export const NO_EVENTS: EventCount = { sequence: 0, recent: [], settled: 0, published: {}, ended: [] };

type Timed = { at: string };
export type Named<E extends Timed> = { name: string; event: E };
/** All statuses of a revision as events. `known`: so many are older than the change that is published now. */
export type History<E extends Timed> = {
  number: number;
  known: number;
  events: readonly Named<E>[];
  /** It has left the queue, so all before it have ended. */
  hasBegun: boolean;
  isEnded: boolean;
};
/** What is to be published: a revision's unpublished statuses, or something else. */
export type News<E extends Timed> = History<E> | Named<E>;

const isHistory = <E extends Timed>(news: News<E>): news is History<E> => 'events' in news;

/**
 * So many names are remembered: more than the events of one deployment in a batch of records that is
 * delivered again.
 */
const RECENT_MAX = 64;

/** How much of the revisions is published, while more is being published. */
class Progress {
  settled: number;
  readonly #published: Map<number, number>;
  readonly #ended: Set<number>;

  constructor({ settled, published, ended }: EventCount) {
    this.settled = settled;
    this.#published = new Map(Object.entries(published).map(([number, count]) => [Number(number), count]));
    this.#ended = new Set(ended);
  }

  /** How many statuses of a revision are published. */
  countOf({ number }: Pick<History<Timed>, 'number'>): number {
    return this.#published.get(number) ?? (this.hasEnded(number) ? Number.POSITIVE_INFINITY : 0);
  }

  hasEnded = (number: number): boolean => number <= this.settled || this.#ended.has(number);

  isKnown = (number: number): boolean => this.#published.has(number) || this.hasEnded(number);

  state(): Pick<EventCount, 'settled' | 'published' | 'ended'> {
    return { settled: this.settled, published: Object.fromEntries(this.#published), ended: [...this.#ended] };
  }

  note({ number, events, isEnded }: History<Timed>): void {
    if (this.hasEnded(number)) return;
    if (!isEnded) {
      this.#published.set(number, Math.max(events.length, this.#published.get(number) ?? 0));
      return;
    }
    this.#published.delete(number);
    this.#ended.add(number);
    while (this.#ended.delete(this.settled + 1)) this.settled += 1;
  }
}

/**
 * Whether records of earlier events never came: every revision before one that has begun must have ended, and
 * every other one before it must have been made. Gives the numbers of all revisions that must be read then,
 * for what is stored may be ahead of what is published: those that have not ended, as far as was published.
 * None when nothing was missed.
 */
export function missedBefore<E extends Timed>(count: EventCount, news: readonly News<E>[]): number[] {
  const progress = new Progress(count);
  const open = new Set<number>();
  let isMissed = false;
  for (const history of news.filter(isHistory)) {
    for (let number = progress.settled + 1; number <= history.number; number++) {
      if (progress.hasEnded(number)) continue;
      open.add(number);
      if (number < history.number) isMissed ||= history.hasBegun || !progress.isKnown(number);
    }
    progress.note(history);
  }
  return isMissed ? [...open].sort((a, b) => a - b) : [];
}

/**
 * Numbers events in their order, or in that of their times (`byTime`). An event that is remembered has its
 * number already and keeps it: the record it came from was delivered again. One that was published and is not
 * remembered any more is left out. Gives the count afterwards (the same object when nothing was new).
 */
export function numberNews<E extends Timed>(
  count: EventCount,
  news: readonly News<E>[],
  { byTime = false } = {},
): { count: EventCount; numbered: { event: E; sequence: number }[] } {
  const progress = new Progress(count);
  const entries = news.flatMap((one) => entriesOf(one, progress));
  if (byTime) entries.sort((a, b) => compare(a.named.event.at, b.named.event.at));
  const recent = [...count.recent];
  let { sequence } = count;
  const numbered: { event: E; sequence: number }[] = [];
  for (const { named, isNew } of entries) {
    const place = recent.lastIndexOf(named.name);
    if (place < 0 && !isNew) continue;
    if (place < 0) {
      recent.push(named.name);
      sequence += 1;
    }
    const behind = place < 0 ? 0 : recent.length - 1 - place;
    numbered.push({ event: named.event, sequence: sequence - behind });
  }
  const isSame = sequence === count.sequence && progress.settled === count.settled;
  if (isSame) return { count, numbered };
  const kept = recent.slice(-Math.max(RECENT_MAX, sequence - count.sequence));
  return { count: { ...count, ...progress.state(), sequence, recent: kept }, numbered };
}

/**
 * The beginning of what is to be published: at most `max` new events, the first in the order in which
 * `numberNews` numbers them. The same object where there are no more.
 */
export function firstOf<E extends Timed>(
  count: EventCount,
  news: readonly News<E>[],
  max: number,
  { byTime = false } = {},
): readonly News<E>[] {
  const progress = new Progress(count);
  const entries = news.flatMap((one, index) =>
    entriesOf(one, progress)
      .filter(({ named, isNew }) => isNew && !count.recent.includes(named.name))
      .map(({ named }) => ({ at: named.event.at, name: named.name, index })),
  );
  if (entries.length <= max) return news;
  if (byTime) entries.sort((a, b) => compare(a.at, b.at));
  const names = Map.groupBy(entries.slice(0, max), ({ index }) => index);
  return news.flatMap((one, index): News<E>[] => {
    const taken = new Set(names.get(index)?.map(({ name }) => name));
    if (taken.size === 0 || !isHistory(one)) return taken.size === 0 ? [] : [one];
    const length = one.events.findLastIndex(({ name }) => taken.has(name)) + 1;
    if (length === one.events.length) return [one];
    const events = one.events.slice(0, length);
    return [{ ...one, events, known: Math.min(one.known, length), isEnded: false }];
  });
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

type Entry<E extends Timed> = { named: Named<E>; isNew: boolean };

/** Which events of it are to be published; notes them as published. */
function entriesOf<E extends Timed>(one: News<E>, progress: Progress): Entry<E>[] {
  if (!isHistory(one)) return [{ named: one, isNew: true }];
  const from = progress.countOf(one);
  const first = Math.min(from, one.known);
  progress.note(one);
  return one.events.slice(first).map((named, index) => ({ named, isNew: first + index >= from }));
}
