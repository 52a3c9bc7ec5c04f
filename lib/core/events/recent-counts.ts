import type { EventCount } from '../../domain/event-count.ts';

/** So many owners that change at the same time find their counts here; a count takes a few kilobytes. */
const OWNERS_MAX = 500;

/**
 * The counts of events that this process was the last to write, as far as it knows: an owner's events come in
 * quick succession, and each write says whether the count is still this one. Those that were written longest
 * ago are forgotten.
 */
export class RecentCounts<C = EventCount> {
  readonly #counts = new Map<string, C>();

  /** Gives a count away: whoever could write the next one says so with `note`. */
  take(ownerId: string): C | undefined {
    const count = this.#counts.get(ownerId);
    this.#counts.delete(ownerId);
    return count;
  }

  note(ownerId: string, count: C): void {
    this.#counts.delete(ownerId);
    this.#counts.set(ownerId, count);
    if (this.#counts.size <= OWNERS_MAX) return;
    const [oldest = ''] = this.#counts.keys();
    this.#counts.delete(oldest);
  }
}
