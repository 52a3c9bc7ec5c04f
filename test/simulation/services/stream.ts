import { dispatchFilters } from '../../../lib/store/stream-filters.ts';
import { HOUR, SECOND } from '../faults.ts';
import type { Ground } from '../ground.ts';
import type { Item } from '../table/expressions.ts';
import type { Change } from '../table/memory-table.ts';

export type StreamRecord = { sequenceNumber: string; pk: string; sk: string; at: number };

/** Calls the consumer; gives the sequence numbers to be delivered again. Rejects when it dies. */
export type Consume = (records: StreamRecord[]) => Promise<string[]>;

type Shard = { waiting: StreamRecord[]; isAtWork: boolean };

const KEPT_MILLISECONDS = 24 * HOUR;
const BATCH_MAX = 10;
const ATTEMPTS_MAX = 5;

function valueAt(item: Item, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, step) => (value as Item | undefined)?.[step], item);
}

/** Whether dispatch is called with a record of this item. */
const tells = (item: Item): boolean =>
  dispatchFilters.some(
    ({ entities, statuses, has }) =>
      (entities === undefined || entities.includes(String(item.entity))) &&
      (statuses === undefined || statuses.includes(String(item.status))) &&
      (has === undefined || typeof valueAt(item, has) === 'string'),
  );

/** By the last digits of a deployment's own part of its id, which count up. */
const shardOf = (pk: string, shards: number): number => Number.parseInt(pk.slice(-10, -8), 16) % shards;

/**
 * The table's stream and its trigger: batches in order a shard, late, twice, tried again in halves, and
 * forgotten after a day.
 */
export class Stream {
  readonly #ground: Ground;
  readonly #consume: Consume;
  readonly #shards: Shard[] = [0, 1].map(() => ({ waiting: [], isAtWork: false }));
  #last = 0;

  constructor(ground: Ground, consume: Consume) {
    this.#ground = ground;
    this.#consume = consume;
  }

  add({ pk, sk, after }: Change): void {
    if (after === undefined || !tells(after)) return;
    const { faults, time } = this.#ground;
    if (faults.chance(faults.profile.loss / 4)) return this.#ground.count('records lost');
    const shard = this.#shards[shardOf(pk, this.#shards.length)];
    shard?.waiting.push({ sequenceNumber: String(++this.#last), pk, sk, at: time.now });
    if (shard !== undefined && !shard.isAtWork) void this.#work(shard);
  }

  async #work(shard: Shard): Promise<void> {
    const { faults, random, time } = this.#ground;
    shard.isAtWork = true;
    const isLate = faults.chance(0.004);
    await time.wait(isLate ? random.between(30, 300) * SECOND : random.between(20, 250));
    while (shard.waiting.length > 0) {
      while (faults.down) await time.wait(faults.downUntil - time.now + random.between(0, 60) * SECOND);
      const batch = shard.waiting
        .splice(0, random.whole(1, BATCH_MAX))
        .filter(({ at }) => time.now - at < KEPT_MILLISECONDS);
      await this.#deliver(batch, 1);
    }
    shard.isAtWork = false;
  }

  async #deliver(batch: StreamRecord[], attempt: number): Promise<void> {
    if (batch.length === 0) return;
    const { faults, random, time } = this.#ground;
    if (faults.chance(faults.profile.duplicate)) void this.#consume(batch).catch(() => undefined);
    const failed = await this.#consume(batch).catch(() => batch.map(({ sequenceNumber }) => sequenceNumber));
    const first = batch.findIndex(({ sequenceNumber }) => failed.includes(sequenceNumber));
    if (first === -1) return;
    if (attempt >= ATTEMPTS_MAX) return this.#ground.count('records set aside');
    await time.wait(random.between(100, 2_000));
    const left = batch.slice(first);
    const half = Math.ceil(left.length / 2);
    await this.#deliver(left.slice(0, half), attempt + 1);
    await this.#deliver(left.slice(half), attempt + 1);
  }
}
