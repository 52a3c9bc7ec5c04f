import { pause } from '../../listener/backoff.ts';

/** When to look again: at once, when something changes, or after so many milliseconds. */
export type Next = 'again' | 'until changed' | number;

/** Looks over and over at what is to be done, as long as it is open. A look never rejects. */
export class Stepper {
  readonly #closed = new AbortController();
  #wake = Promise.withResolvers<void>();

  constructor(look: () => Promise<Next>) {
    void this.#run(look);
  }

  /** Something has changed. */
  wake(): void {
    this.#wake.resolve();
  }

  close(): void {
    this.#closed.abort();
    this.wake();
  }

  async #run(look: () => Promise<Next>): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      // What changes while it looks is looked at again.
      this.#wake = Promise.withResolvers<void>();
      const next = await look();
      if (next !== 'again' && !signal.aborted) await this.#wait(next);
    }
  }

  async #wait(next: Exclude<Next, 'again'>): Promise<void> {
    const over = new AbortController();
    const timer = next === 'until changed' ? [] : [pause(next, over.signal)];
    await Promise.race([this.#wake.promise, ...timer]);
    over.abort();
  }
}
