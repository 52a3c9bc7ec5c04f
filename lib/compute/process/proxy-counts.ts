import type { MinuteCounts } from '../../contract/deployments/counts.ts';
import { merge } from '../../domain/metrics/merge.ts';
import type { TrafficCounts } from './proxy/messages.ts';

/** What was counted of one revision's requests. */
export type Counted = Pick<TrafficCounts, 'counts' | 'isIdle'>;

/** What the proxy's process has told of requests, added up until it is taken. */
export class ProxyCounts {
  readonly #told = new Map<string, Counted>();

  add(told: readonly TrafficCounts[]): void {
    for (const { traffic, counts, isIdle } of told) {
      const before = this.#told.get(traffic)?.counts;
      const together: MinuteCounts = before === undefined ? counts : merge(before, counts, 'times');
      this.#told.set(traffic, { counts: together, isIdle });
    }
  }

  /** The process has ended, and with it all that was under way. */
  endAll(): void {
    for (const [traffic, { counts }] of this.#told) this.#told.set(traffic, { counts, isIdle: true });
  }

  /** By what it was counted as, since it was taken last. */
  take(): ReadonlyMap<string, Counted> {
    const taken = new Map(this.#told);
    this.#told.clear();
    return taken;
  }
}
