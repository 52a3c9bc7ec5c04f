import type { EventCount } from '../../domain/event-count.ts';

/** So many deployments that change at the same time find their counts here; a count takes a few kilobytes. */
const DEPLOYMENTS_MAX = 500;

/**
 * The counts of events that this process was the last to write, as far as it knows: a deployment's events
 * come in quick succession, and each write says whether the count is still this one. Those that were written
 * longest ago are forgotten.
 */
export class RecentCounts {
  readonly #counts = new Map<string, EventCount>();

  /** Gives a count away: whoever could write the next one says so with `note`. */
  take(deploymentId: string): EventCount | undefined {
    const count = this.#counts.get(deploymentId);
    this.#counts.delete(deploymentId);
    return count;
  }

  note(deploymentId: string, count: EventCount): void {
    this.#counts.delete(deploymentId);
    this.#counts.set(deploymentId, count);
    if (this.#counts.size <= DEPLOYMENTS_MAX) return;
    const [oldest = ''] = this.#counts.keys();
    this.#counts.delete(oldest);
  }
}
