import type { EventLog } from './event-log.ts';
import type { StoredEvent } from './queue-store.ts';

/** Events are stored in batches, one notification each. */
const FLUSH_MILLISECONDS = 50;

/** Stores the events of a run in hand as they come. */
export class EventWriter {
  readonly #log: EventLog;
  readonly #store: (events: readonly StoredEvent[]) => Promise<void>;
  readonly #wait: (milliseconds: number) => Promise<void>;
  readonly #closing = Promise.withResolvers<void>();
  #isClosed = false;
  #flushing: Promise<void> | undefined;

  /** `store` rejects if they were not stored: they are tried again, until the writer is closed. */
  constructor(
    log: EventLog,
    store: (events: readonly StoredEvent[]) => Promise<void>,
    wait: (milliseconds: number) => Promise<void>,
  ) {
    this.#log = log;
    this.#store = store;
    this.#wait = wait;
  }

  /** Something has come. */
  soon(): void {
    this.#flushing ??= Promise.race([this.#wait(FLUSH_MILLISECONDS), this.#closing.promise])
      .then(() => this.flush())
      .catch(() => undefined)
      .finally(() => {
        this.#flushing = undefined;
        if (!this.#log.isStored && !this.#isClosed) this.soon();
      });
  }

  /** Stores what is there without waiting for more of it; from now on it stores nothing by itself. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closing.resolve();
    await this.#flushing;
  }

  /** Stores what is there; of what comes meanwhile only whole batches. */
  async flush(): Promise<void> {
    do {
      const events = this.#log.unstored();
      await this.#store(events);
      this.#log.noteStored(events.length);
    } while (this.#log.hasBatch);
  }
}
