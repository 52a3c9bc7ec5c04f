import type { RunEnd } from '../../../lib/agent-runtime/queue/port.ts';

/** Why a graph goes no further. */
export class Stopped extends Error {
  readonly end: RunEnd;

  constructor(end: RunEnd) {
    super(end.kind);
    this.end = end;
  }
}

/** What is asked of a graph that runs. */
export class Control {
  isDraining = false;
  isCancelled = false;
  readonly #stops: ((end: RunEnd) => void)[] = [];

  /** Rejects when the graph is stopped where it stands. */
  readonly stopped = new Promise<never>((_, reject) => {
    this.#stops.push((end) => reject(new Stopped(end)));
  });

  constructor() {
    this.stopped.catch(() => undefined);
  }

  cancel(): void {
    for (const stop of this.#stops) stop({ kind: 'cancelled' });
  }

  drainNow(): void {
    for (const stop of this.#stops) stop({ kind: 'drained' });
  }
}
