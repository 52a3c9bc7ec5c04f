import { MINUTE } from '../faults.ts';
import type { Ground } from '../ground.ts';
import type { MemoryTable } from '../table/memory-table.ts';
import { type Invariant, stored } from './invariant.ts';

/** The stream, or two sweeps if that has lost it. */
const TAKEN_WITHIN_MILLISECONDS = 4 * MINUTE;

/**
 * While nothing goes wrong but for one deployment, no other waits for it: a free slot goes to the next in the
 * queue, and work that is due is looked at.
 */
export class Promptness implements Invariant {
  readonly #ground: Ground;
  readonly #table: MemoryTable;
  /** Since when a deployment waits, by its key; epoch milliseconds. */
  readonly #waitsSince = new Map<string, number>();

  constructor(ground: Ground, table: MemoryTable) {
    this.#ground = ground;
    this.#table = table;
  }

  onMinute(): void {
    const { faults } = this.#ground;
    const isForAll = faults.broken !== undefined && faults.broken.deploymentId === undefined;
    if (faults.active || faults.down || isForAll) return this.#waitsSince.clear();
    for (const pk of this.#table.partitions.keys()) this.#look(pk);
  }

  #look(pk: string): void {
    const { faults, time, violate } = this.#ground;
    const item = stored(this.#table, pk)?.item;
    const waits = item !== undefined && this.#waits(item);
    if (!waits || item.id === faults.broken?.deploymentId) return void this.#waitsSince.delete(pk);
    const since = this.#waitsSince.get(pk) ?? time.now;
    this.#waitsSince.set(pk, since);
    if (time.now - since > TAKEN_WITHIN_MILLISECONDS)
      violate(
        `${item.id} has a free slot and a queue for ${Math.round((time.now - since) / MINUTE)} minutes`,
      );
  }

  #waits({ entity, slot, queued }: { entity?: unknown; slot?: unknown; queued: number[] }): boolean {
    return entity === 'deployment' && slot === undefined && queued.length > 0;
  }
}
