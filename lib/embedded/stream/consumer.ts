import { appendFile } from 'node:fs/promises';
import type { DynamoDBRecord } from 'aws-lambda';
import type { StreamFilter } from '../../store/stream-filters.ts';
import { deliverRecords, type Failure, type StreamHandler } from './deliver.ts';

/** A function behind the stream, called with the records that fit one of its filters. */
export type Consumer = { name: string; filters: readonly StreamFilter[]; handler: StreamHandler };

/** As on AWS; while a function runs, records add up to one call. */
const BATCH_RECORDS_MAX = 100;

/** What was read at once. It is handled when `remaining` consumers have handled it. */
export type Batch<P> = {
  records: readonly DynamoDBRecord[];
  position: P;
  remaining: number;
  /**
   * When the first write behind these records was acknowledged (`performance.now()`), if this process made
   * it.
   */
  writtenAt: number | undefined;
};

export type ConsumerEvents<P> = {
  handled(batch: Batch<P>): void;
  called(consumer: string, records: number, batch: Batch<P>): void;
  failed(message: string): void;
};

/** Runs one consumer over the batches, in order, at its own pace. */
export class ConsumerQueue<P> {
  readonly #consumer: Consumer;
  readonly #events: ConsumerEvents<P>;
  readonly #failuresFile: string;
  readonly #signal: AbortSignal;
  readonly #queue: Batch<P>[] = [];
  #running: Promise<void> | undefined;

  constructor(consumer: Consumer, events: ConsumerEvents<P>, failuresFile: string, signal: AbortSignal) {
    this.#consumer = consumer;
    this.#events = events;
    this.#failuresFile = failuresFile;
    this.#signal = signal;
  }

  add(batch: Batch<P>): void {
    this.#queue.push(batch);
    this.#running ??= this.#run();
  }

  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      while (this.#queue.length > 0 && !this.#signal.aborted) await this.#handle(this.#takeBatches());
    } catch (error) {
      // Only the end of the program leads here; the position is kept as it was.
      if (!this.#signal.aborted) this.#events.failed(`${this.#consumer.name}: ${String(error)}`);
    } finally {
      this.#running = undefined;
    }
  }

  async #handle(batches: Batch<P>[]): Promise<void> {
    const records = batches.flatMap((batch) => this.#matching(batch));
    for (let start = 0; start < records.length; start += BATCH_RECORDS_MAX) {
      const part = records.slice(start, start + BATCH_RECORDS_MAX);
      for (const batch of batches) {
        if (this.#matching(batch).length > 0) this.#events.called(this.#consumer.name, part.length, batch);
      }
      await deliverRecords(this.#consumer.handler, part, (failure) => this.#drop(failure), this.#signal);
    }
    for (const batch of batches) this.#events.handled(batch);
  }

  #takeBatches(): Batch<P>[] {
    const taken = this.#queue.splice(0, 1);
    let count = taken[0]?.records.length ?? 0;
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      count += next.records.length;
      if (count > BATCH_RECORDS_MAX) break;
      this.#queue.shift();
      taken.push(next);
    }
    return taken;
  }

  #matching({ records }: Batch<P>): DynamoDBRecord[] {
    return records.filter((record) => fits(record, this.#consumer.filters));
  }

  /** What is given up is written down by number and key, never with the item's content. */
  async #drop({ records, error }: Failure): Promise<void> {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const lines = records.map(({ dynamodb }) =>
      JSON.stringify({
        time: new Date().toISOString(),
        consumer: this.#consumer.name,
        reason,
        sequence_number: dynamodb?.SequenceNumber,
        keys: dynamodb?.Keys,
      }),
    );
    this.#events.failed(`${this.#consumer.name} gave up ${records.length} stream records: ${reason}`);
    await appendFile(this.#failuresFile, `${lines.join('\n')}\n`, { mode: 0o600 }).catch(() => undefined);
  }
}

type Image = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>;

/**
 * Whether a consumer with these filters is called with a record, as Lambda judges it by the patterns that the
 * infrastructure makes of them.
 */
export const fits = (record: DynamoDBRecord, filters: readonly StreamFilter[]): boolean =>
  filters.some(({ on, image, entities, statuses, has }) => {
    const item = record.dynamodb?.[image];
    if (item === undefined) return false;
    return (
      (on === undefined || on.some((name) => name === record.eventName)) &&
      (entities === undefined || entities.includes(item.entity?.S ?? '')) &&
      (statuses === undefined || statuses.includes(item.status?.S ?? '')) &&
      (has === undefined || textAt(item, has) !== undefined)
    );
  });

function textAt(item: Image, [name, ...deeper]: readonly [string, ...string[]]): string | undefined {
  const [next, ...rest] = deeper;
  const value = item[name];
  return next === undefined ? value?.S : textAt(value?.M ?? {}, [next, ...rest]);
}
