import type { StoredEvent } from './queue-store.ts';

/**
 * So many stored events of a run stay in memory for followers, and characters of them; who is further behind
 * reads the table.
 */
const KEPT = 1_000;
const KEPT_CHARACTERS = 4 * 1024 * 1024;

/** So much is stored by one statement; one event may be longer. */
const BATCH = 1_000;
const BATCH_CHARACTERS = 4 * 1024 * 1024;

/**
 * Each claim of a run numbers its events from its own epoch on, so that numbers grow though a process has
 * died whose last events were shown and not stored. 2^32 events an epoch, two million epochs.
 */
const EVENTS_AN_EPOCH = 2 ** 32;

/**
 * The events of a run that this process has in hand: those that are not stored yet, and the last ones that
 * are.
 */
export class EventLog {
  readonly #began: number;
  readonly #touch: () => void;
  #events: StoredEvent[] = [];
  #stored = 0;
  #storedCharacters = 0;
  #newest: number;
  #isClosed = false;

  constructor(epoch: number, touch: () => void) {
    this.#began = epoch * EVENTS_AN_EPOCH;
    this.#newest = this.#began;
    this.#touch = touch;
  }

  add(event: string, data: string): void {
    this.#newest += 1;
    this.#events.push({ seq: this.#newest, event, data });
    this.#touch();
  }

  /** The next events that are to be stored, in their order. */
  unstored(): readonly StoredEvent[] {
    let characters = 0;
    let count = 0;
    for (const { data } of this.#events.slice(this.#stored, this.#stored + BATCH)) {
      characters += data.length;
      if (count > 0 && characters > BATCH_CHARACTERS) break;
      count += 1;
    }
    return this.#events.slice(this.#stored, this.#stored + count);
  }

  /** Whether so much is to be stored that nothing is gained by waiting for more. */
  get hasBatch(): boolean {
    return this.unstored().length < this.#events.length - this.#stored;
  }

  get isStored(): boolean {
    return this.#stored === this.#events.length;
  }

  noteStored(count: number): void {
    for (const { data } of this.#events.slice(this.#stored, this.#stored + count))
      this.#storedCharacters += data.length;
    this.#stored += count;
    let tooMany = Math.max(0, Math.min(this.#stored, this.#events.length - KEPT));
    for (const [index, { data }] of this.#events.slice(0, this.#stored).entries()) {
      if (index >= tooMany && this.#storedCharacters <= KEPT_CHARACTERS) break;
      this.#storedCharacters -= data.length;
      tooMany = Math.max(tooMany, index + 1);
    }
    if (tooMany === 0) return;
    this.#events = this.#events.slice(tooMany);
    this.#stored -= tooMany;
  }

  /** All events behind this number are in memory, and those before it stored. */
  get floor(): number {
    return (this.#events[0]?.seq ?? this.#newest + 1) - 1;
  }

  /** Events behind `seq`, which is at least the floor. */
  after(seq: number): readonly StoredEvent[] {
    return this.#events.slice(Math.max(0, seq - this.floor));
  }

  /** Nothing comes any more: the run has ended or is another's. */
  close(): void {
    this.#isClosed = true;
    this.#touch();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }
}

/** Waits for changes of one run. A change between two calls of `next` is not missed. */
export type Watch = {
  /** Resolves at the next change, or when the time is over. */
  next(milliseconds: number): Promise<void>;
  end(): void;
};

type Watcher = { isTouched: boolean; wake: (() => void) | undefined };

/** The logs of runs in hand, and whoever waits for something of a run. */
export class EventHub {
  readonly #logs = new Map<string, EventLog>();
  readonly #watchers = new Map<string, Set<Watcher>>();

  open(runId: string, epoch: number): EventLog {
    const log = new EventLog(epoch, () => this.touch(runId));
    this.#logs.set(runId, log);
    return log;
  }

  close(runId: string, log: EventLog): void {
    if (this.#logs.get(runId) === log) this.#logs.delete(runId);
    log.close();
  }

  logOf(runId: string): EventLog | undefined {
    return this.#logs.get(runId);
  }

  /** Something of the run has changed, here or in another process. */
  touch(id: string): void {
    for (const watcher of this.#watchers.get(id) ?? []) {
      watcher.isTouched = true;
      watcher.wake?.();
    }
  }

  /** After a time without notifications anything may have changed. */
  touchAll(): void {
    for (const id of this.#watchers.keys()) this.touch(id);
  }

  watch(id: string): Watch {
    const watcher: Watcher = { isTouched: false, wake: undefined };
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers.add(watcher));
    return {
      next: async (milliseconds) => {
        if (!watcher.isTouched)
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, milliseconds);
            watcher.wake = () => {
              clearTimeout(timer);
              resolve();
            };
          });
        watcher.isTouched = false;
        watcher.wake = undefined;
      },
      end: () => {
        watchers.delete(watcher);
        watcher.wake?.();
        if (watchers.size === 0 && this.#watchers.get(id) === watchers) this.#watchers.delete(id);
      },
    };
  }
}
