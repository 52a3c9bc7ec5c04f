import { addHistograms, HistogramCounter } from '../../domain/metrics/histogram.ts';
import type { Outcome, QueueStore } from './queue-store.ts';
import type { ClaimedRun } from './rules.ts';

/** Runs whose end was never seen here, as of those that another process has by now, are forgotten beyond this. */
const IN_HAND_MAX = 10_000;

/** What has become of the runs that this process had in hand, since it began. */
export class RunTotals {
  readonly #now: () => number;
  /** Of the runs in hand, when their first claim was, by the clock of this process. */
  readonly #begunAt = new Map<string, number>();
  readonly #latest = new HistogramCounter();
  #durations = this.#latest.take();
  #begun = 0;
  #succeeded = 0;
  #failed = 0;

  /** `now`: milliseconds, of a clock that nobody sets. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** As numbers that only grow. Durations, from first claim to end, are of runs that were cancelled too. */
  get told() {
    this.#durations = addHistograms(this.#durations, this.#latest.take());
    return {
      begun: this.#begun,
      succeeded: this.#succeeded,
      failed: this.#failed,
      durations: this.#durations,
    };
  }

  /** The store, with what goes through it counted. */
  counting(store: QueueStore): QueueStore {
    return {
      ...store,
      claim: async (server, count) => {
        const claimed = await store.claim(server, count);
        for (const run of claimed) this.#claimed(run);
        return claimed;
      },
      handBack: async (lease, failure) => {
        this.#begunAt.delete(lease.runId);
        return store.handBack(lease, failure);
      },
      finish: async (lease, outcome) => {
        const finished = await store.finish(lease, outcome);
        if (finished === 'finished') this.#finished(lease.runId, outcome.status);
        return finished;
      },
    };
  }

  #claimed({ runId, attempt, runningSeconds }: ClaimedRun): void {
    // Another process may have begun it.
    if (attempt === 1) this.#begun += 1;
    this.#begunAt.set(runId, this.#now() - runningSeconds * 1_000);
    const [oldest] = this.#begunAt.keys();
    if (this.#begunAt.size > IN_HAND_MAX && oldest !== undefined) this.#begunAt.delete(oldest);
  }

  #finished(runId: string, status: Outcome['status']): void {
    if (status === 'success') this.#succeeded += 1;
    else if (status !== 'interrupted') this.#failed += 1;
    const begunAt = this.#begunAt.get(runId);
    this.#begunAt.delete(runId);
    if (begunAt !== undefined) this.#latest.add(this.#now() - begunAt);
  }
}
