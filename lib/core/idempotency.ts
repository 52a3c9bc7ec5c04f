import { createHash } from 'node:crypto';
import { AlreadyRecorded, RecordContended, transact, type Write } from '../store/dynamodb/transact.ts';
import {
  awaitIdempotencyRecord,
  findIdempotencyRecord,
  type IdempotencyRecord,
  idempotencyRecord,
  putIdempotencyRecord,
  type RecordPlace,
} from '../store/idempotency-records.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';

/**
 * Keeps the answer to a request that carries an `Idempotency-Key`, so that the same request sent again gets
 * it again.
 */
export type Idempotency = {
  /**
   * The writes that keep the answer made of a use case's output; none when the request carries no key. They
   * belong into the transaction that makes the change: then there is no change without its answer, whatever
   * dies in between.
   */
  record(output: unknown): Write[];
};

export const unkeyed: Idempotency = { record: () => [] };

/** What is kept of an answer: the body as it was sent, compressed. */
export type RecordedResponse = Pick<IdempotencyRecord, 'status' | 'headers' | 'body' | 'request_hash'>;

/**
 * How long a request waits for a concurrent duplicate. API Gateway and clients give up after 30 s, functions
 * after 29 s.
 */
const WAIT_MILLISECONDS_MAX = 20_000;

/** The place of one answer: that to a caller's request of a method and path under a key. */
export class IdempotencySlot {
  readonly #at: RecordPlace;
  readonly #deps: Pick<Deps, 'table' | 'clock'>;
  readonly #begunAt: number;
  /** The response is recorded there, in the transaction of its change. */
  isTaken = false;

  constructor(
    deps: Pick<Deps, 'table' | 'clock'>,
    { tenantId, userId }: Caller,
    request: { method: string; path: string; key: string },
  ) {
    this.#deps = deps;
    this.#begunAt = deps.clock.now();
    const scope = JSON.stringify([userId, request.method, request.path, request.key]);
    this.#at = { tenantId, scopeHash: createHash('sha256').update(scope).digest('hex') };
  }

  find(): Promise<RecordedResponse | undefined> {
    return findIdempotencyRecord(this.#deps.table, this.#at, this.#deps.clock.now());
  }

  /** The write that keeps an answer here; a transaction with it is made only while there is none. */
  write(kept: RecordedResponse): Write {
    const onWritten = () => {
      this.isTaken = true;
    };
    return { ...putIdempotencyRecord(this.#at, kept, this.#deps.clock.now()), onWritten };
  }

  /** Keeps an answer by itself. Throws as a transaction with `write` does. */
  keep(kept: RecordedResponse): Promise<void> {
    return transact(this.#deps.table, [this.write(kept)]);
  }

  /**
   * The answer of a concurrent request, as soon as it is kept; undefined when there is none 20 s after this
   * request began.
   */
  wait(): Promise<RecordedResponse | undefined> {
    const { table, clock } = this.#deps;
    return awaitIdempotencyRecord(table, this.#at, clock, this.#begunAt + WAIT_MILLISECONDS_MAX);
  }
}

/** The answer that stood in the way of a transaction; undefined when something else did. */
export const quickerAnswer = (error: unknown): RecordedResponse | undefined =>
  error instanceof AlreadyRecorded ? idempotencyRecord.parse(error.item) : undefined;

/** A transaction was not made because a concurrent request under the same key makes one. */
export const isBeingAnswered = (error: unknown): boolean => error instanceof RecordContended;
