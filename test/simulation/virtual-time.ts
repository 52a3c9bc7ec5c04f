/** What a timer says that has settled no promise, so that nothing follows from it. */
export const NOTHING = 'nothing';
type Run = () => typeof NOTHING | void;

type Timer = { at: number; sequence: number; run: Run };

/** Of two at the same time the one that was set first. */
const isBefore = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.sequence < b.sequence);

/** A heap: the earliest timer is at its head. */
class Timers {
  readonly #heap: Timer[] = [];

  push(timer: Timer): void {
    let at = this.#heap.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = this.#heap[parent];
      if (above === undefined || isBefore(above, timer)) break;
      this.#heap[at] = above;
      at = parent;
    }
    this.#heap[at] = timer;
  }

  pop(): Timer | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) this.#sink(last);
    return first;
  }

  #sink(timer: Timer): void {
    let at = 0;
    for (;;) {
      const [left, right] = [this.#heap[2 * at + 1], this.#heap[2 * at + 2]];
      if (left === undefined) break;
      const rightIsLess = right !== undefined && isBefore(right, left);
      const child = rightIsLess ? right : left;
      if (isBefore(timer, child)) break;
      this.#heap[at] = child;
      at = 2 * at + (rightIsLess ? 2 : 1);
    }
    this.#heap[at] = timer;
  }
}

/** Resolves when no promise is left to go on: Node looks at these ticks only then. */
const afterAllPromises = (): Promise<void> =>
  new Promise((resolve) => {
    process.nextTick(resolve);
  });

/**
 * The one clock and the one queue of a run: nothing happens but by what is put here, and one thing after the
 * other.
 */
export class VirtualTime {
  readonly beganAt = 1_800_000_000_000;
  /** Epoch milliseconds. */
  now = this.beganAt;
  /** How many timers have run. */
  events = 0;
  #sequence = 0;
  readonly #timers = new Timers();

  after(milliseconds: number, run: Run): void {
    this.#timers.push({ at: this.now + Math.max(0, milliseconds), sequence: this.#sequence++, run });
  }

  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(milliseconds, resolve);
    });
  }

  /** Seconds since the run began, for whoever reads a trace. */
  get seconds(): number {
    return (this.now - this.beganAt) / 1000;
  }

  /**
   * Runs what is due, one timer after the other and all that follows from it, until `afterEach` says that it
   * is over.
   */
  async run(afterEach: () => boolean): Promise<void> {
    await afterAllPromises();
    for (;;) {
      const timer = this.#timers.pop();
      if (timer === undefined) return;
      this.now = timer.at;
      this.events += 1;
      if (timer.run() === NOTHING) continue;
      // All promises that this has settled run before the next timer.
      await afterAllPromises();
      if (afterEach()) return;
    }
  }
}
