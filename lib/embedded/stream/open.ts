import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import { type Batch, type Consumer, type ConsumerEvents, ConsumerQueue } from './consumer.ts';
import { Lag, type LagSummary } from './lag.ts';
import { changesNothing, lambdaRecord } from './lambda-record.ts';
import { type Position, positionWriter, readPosition } from './position.ts';
import { ShardReader } from './shard-reader.ts';

export type StreamOptions = {
  client: DynamoDBStreamsClient;
  streamArn: string;
  /** Holds `stream-position.json` and `stream-failures.jsonl`. */
  dataFolder: string;
  consumers: readonly Consumer[];
  /**
   * Called with each record as soon as it is read, before any consumer; it may come again after a crash. Must
   * not throw.
   */
  onRecord?: (record: DynamoDBRecord) => void;
  /** While it says so nothing is read: another runtime may have begun to handle the records. */
  isPaused?: () => boolean;
  onError: (message: string) => void;
  /** Between two looks that nobody asked for. */
  idleMilliseconds?: number;
  onDelivered?: (consumer: string, records: number, lagMilliseconds: number | undefined) => void;
};

export type Stream = {
  /** A write has just been acknowledged: look now instead of at the next tick. */
  wake(): void;
  /** Up to this record everything is handled. */
  position(): Position | undefined;
  lag(): LagSummary;
  /** Stops reading; resolves when no consumer runs any more. What was not handled comes again. */
  close(): Promise<void>;
};

/**
 * Writes of this process wake the reader; the tick finds what other writers (a second program, time to live)
 * have done.
 */
const IDLE_MILLISECONDS = 1_000;
/**
 * What is written next wakes the reader by itself; to look at once would find nothing, half of the time that
 * it looks.
 */
const BUSY_MILLISECONDS = 50;
/** So many at once may be a part of what there is (a read gives 1 MiB at most): the rest is read at once. */
const RECORDS_MANY = 10;
/**
 * After a failed read, or while the consumers are far behind: a database that restarts is back in a moment.
 */
const ERROR_MILLISECONDS = 250;
/** The reader does not run further ahead of the slowest consumer than so many reads. */
const BATCHES_IN_FLIGHT_MAX = 200;

/**
 * Reads the stream from where an earlier process stopped and feeds the consumers, each record at least once,
 * in order.
 */
export async function openStream(options: StreamOptions): Promise<Stream> {
  const kept = await readPosition(join(options.dataFolder, 'stream-position.json'));
  const reader = await ShardReader.open(options.client, options.streamArn, kept);
  return new Poller(options, reader, kept);
}

class Poller implements Stream {
  readonly #options: StreamOptions;
  readonly #reader: ShardReader;
  readonly #queues: ConsumerQueue<Position>[];
  readonly #positions: ReturnType<typeof positionWriter>;
  readonly #lag = new Lag();
  readonly #end = new AbortController();
  readonly #inFlight: Batch<Position>[] = [];
  readonly #loop: Promise<void>;
  #handledTo: Position | undefined;
  #firstWriteAt: number | undefined;
  #nudge = Promise.withResolvers<void>();

  constructor(options: StreamOptions, reader: ShardReader, kept: Position | undefined) {
    this.#options = options;
    this.#reader = reader;
    this.#handledTo = kept;
    this.#positions = positionWriter(join(options.dataFolder, 'stream-position.json'));
    const failuresFile = join(options.dataFolder, 'stream-failures.jsonl');
    const events: ConsumerEvents<Position> = {
      handled: (batch) => this.#handled(batch),
      called: (name, records, batch) => this.#called(name, records, batch),
      failed: options.onError,
    };
    this.#queues = options.consumers.map(
      (consumer) => new ConsumerQueue(consumer, events, failuresFile, this.#end.signal),
    );
    this.#loop = this.#run();
  }

  wake(): void {
    this.#firstWriteAt ??= performance.now();
    this.#nudge.resolve();
  }

  position(): Position | undefined {
    return this.#handledTo;
  }

  lag(): LagSummary {
    return this.#lag.take();
  }

  async close(): Promise<void> {
    this.#end.abort();
    this.#nudge.resolve();
    await this.#loop;
    await Promise.all(this.#queues.map((queue) => queue.idle()));
    await this.#positions.idle();
  }

  async #run(): Promise<void> {
    while (!this.#end.signal.aborted) {
      // Made anew before the read: a wake during the read makes us look once more.
      this.#nudge = Promise.withResolvers<void>();
      const wait = await this.#readOnce();
      if (wait > 0 && !this.#end.signal.aborted) await this.#pause(wait);
    }
  }

  /** Reads and hands on; gives how long to wait before the next look. */
  async #readOnce(): Promise<number> {
    if (this.#inFlight.length >= BATCHES_IN_FLIGHT_MAX) return ERROR_MILLISECONDS;
    const idle = this.#options.idleMilliseconds ?? IDLE_MILLISECONDS;
    if (this.#options.isPaused?.() === true) return idle;
    const writtenAt = this.#firstWriteAt;
    this.#firstWriteAt = undefined;
    try {
      const { records, position } = await this.#reader.read();
      if (records.length === 0) return idle;
      const { streamArn } = this.#options;
      const converted = records.map((record) => lambdaRecord(record, streamArn));
      this.#handOn(
        converted.filter((record) => !changesNothing(record)),
        position,
        writtenAt,
      );
      return records.length < RECORDS_MANY ? BUSY_MILLISECONDS : 0;
    } catch (error) {
      if (!this.#end.signal.aborted) this.#options.onError(`the stream cannot be read: ${String(error)}`);
      return ERROR_MILLISECONDS;
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    const cut = new AbortController();
    const timer = delay(milliseconds, undefined, { signal: cut.signal }).catch(() => undefined);
    await Promise.race([timer, this.#nudge.promise]);
    cut.abort();
  }

  #handOn(records: DynamoDBRecord[], position: Position, writtenAt: number | undefined): void {
    const batch = { records, position, remaining: this.#queues.length, writtenAt };
    this.#inFlight.push(batch);
    for (const record of records) this.#options.onRecord?.(record);
    for (const queue of this.#queues) queue.add(batch);
    if (this.#queues.length === 0) this.#advance();
  }

  #called(name: string, records: number, { writtenAt }: Batch<Position>): void {
    const lag = writtenAt === undefined ? undefined : performance.now() - writtenAt;
    if (lag !== undefined) this.#lag.add(lag);
    this.#options.onDelivered?.(name, records, lag);
  }

  #handled(batch: Batch<Position>): void {
    batch.remaining -= 1;
    this.#advance();
  }

  /**
   * The position moves over the batches that everybody has handled, up to the first that somebody has not.
   */
  #advance(): void {
    let done: Batch<Position> | undefined;
    while (this.#inFlight[0]?.remaining === 0) done = this.#inFlight.shift();
    if (done === undefined) return;
    this.#handledTo = done.position;
    this.#positions.save(done.position);
  }
}
