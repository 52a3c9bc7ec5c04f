import type { RevisionStatus } from '../../../lib/contract/revision-status.ts';
import { isTerminal } from '../../../lib/domain/transitions.ts';
import { MINUTE } from '../faults.ts';
import type { Ground } from '../ground.ts';
import { type Build, type BuildService, isAlive } from '../services/builds.ts';
import type { Item } from '../table/expressions.ts';
import type { MemoryTable } from '../table/memory-table.ts';
import type { Invariant, Revision } from './invariant.ts';

/** A build that its revision knows is stopped within so long after it, while nothing goes wrong. */
const STOPPED_WITHIN_MILLISECONDS = 5 * MINUTE;

/**
 * What a deleted deployment may leave: answers under keys, ended tasks, and what tells its listener to run
 * nothing.
 */
const MAY_STAY = new Set(['answer', 'done_task', 'placement']);

/** Nothing goes on of what has ended, and nothing stays of what was deleted. */
export class Leftovers implements Invariant {
  readonly #ground: Ground;
  readonly #table: MemoryTable;
  readonly #builds: BuildService;
  /** Since when builds outlive their revisions; epoch milliseconds. */
  readonly #orphanedAt = new Map<string, number>();
  /** Since when nothing goes wrong. */
  #calmSince: number | undefined;

  constructor(ground: Ground, table: MemoryTable, builds: BuildService) {
    this.#ground = ground;
    this.#table = table;
    this.#builds = builds;
  }

  onMinute(): void {
    const { faults, time } = this.#ground;
    const isCalm = !faults.active && !faults.down && faults.broken === undefined;
    this.#calmSince = isCalm ? (this.#calmSince ?? time.now) : undefined;
    for (const build of this.#builds.all.values()) this.#outlives(build);
  }

  #outlives(build: Build): void {
    const { time, violate } = this.#ground;
    if (!isAlive(build) || !this.#isOver(build)) return void this.#orphanedAt.delete(build.id);
    const since = this.#orphanedAt.get(build.id) ?? time.now;
    this.#orphanedAt.set(build.id, since);
    const from = Math.max(since, this.#calmSince ?? Number.POSITIVE_INFINITY);
    if (time.now - from > STOPPED_WITHIN_MILLISECONDS)
      violate(
        `${build.id} goes on ${Math.round((time.now - since) / MINUTE)} minutes after its revision has ended`,
      );
  }

  #isOver({ ref, id }: Build): boolean {
    const partition = this.#table.partitions.get(`T#${ref.tenantId}#D#${ref.deploymentId}`);
    const revision = [...(partition?.values() ?? [])].find((item) => item.id === ref.revisionId) as
      | Revision
      | undefined;
    if (revision === undefined) return true;
    const isOther = revision.build_id !== undefined && revision.build_id !== id;
    return isOther || isTerminal(revision.status as RevisionStatus);
  }

  atRest(): void {
    const live = new Set<unknown>();
    for (const item of this.#items()) if (item.entity === 'deployment') live.add(item.id);
    for (const item of this.#items()) this.#belongs(item, live);
  }

  #belongs(item: Item, live: Set<unknown>): void {
    const { violate } = this.#ground;
    const { entity } = item;
    const owner =
      item.entity === 'deployment'
        ? item.id
        : (item.deployment_id ?? /#D#([^#]+)$/.exec(String(item.pk))?.[1]);
    if (entity === 'task') violate(`a task of ${String(owner)} is left open`);
    if (entity === 'token') violate(`a token of ${String(owner)} is left`);
    if (owner === undefined || live.has(owner) || MAY_STAY.has(String(entity))) return;
    violate(`${String(entity)} ${String(item.sk)} of the deleted ${String(owner)} is left`);
  }

  *#items(): Generator<Item> {
    for (const partition of this.#table.partitions.values()) yield* partition.values();
  }
}
