import * as z from 'zod';
import { absent, any, atMost, guard, put } from './expressions.ts';
import type { Key } from './keys.ts';
import { find, IDEMPOTENCY_RECORD, type Write } from './operations.ts';
import { patienceOf } from './patience.ts';
import type { Table } from './table.ts';

/** The answer to a request that carried an idempotency key. */
export const idempotencyRecord = z.object({
  v: z.literal(1),
  entity: z.literal('answer'),
  tenant_id: z.string(),
  /** Tells the request from another one under the same key. */
  request_hash: z.string(),
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  /** As it was sent, compressed (gzip): most fit into one write unit so. */
  body: z.instanceof(Uint8Array).optional(),
  /** Epoch milliseconds; expiry by the table itself (`ttl`, in seconds) comes up to days later. */
  expires_at: z.number(),
  ttl: z.int(),
});
export type IdempotencyRecord = z.infer<typeof idempotencyRecord>;

/** The answer that is kept under this key, unless its time is over. */
export async function findIdempotencyRecord(
  table: Table,
  key: Key,
  now: number,
): Promise<IdempotencyRecord | undefined> {
  const found = await find(table, key, idempotencyRecord);
  return found !== undefined && found.expires_at > now ? found : undefined;
}

/** Forty strongly consistent reads of one answer, at most; it is there within milliseconds of its transaction. */
const LOOK_MILLISECONDS = 500;

/** The answer that is kept under this key, as soon as it is; undefined when there is none at `until` (epoch milliseconds). */
export async function awaitIdempotencyRecord(
  table: Table,
  key: Key,
  clock: { now(): number },
  until: number,
): Promise<IdempotencyRecord | undefined> {
  for (;;) {
    const found = await findIdempotencyRecord(table, key, clock.now());
    if (found !== undefined || clock.now() >= until) return found;
    await patienceOf(table).pause(LOOK_MILLISECONDS);
  }
}

/** Keeps an answer where none is kept. When one is, the transaction that this is part of throws `AlreadyRecorded`. */
export const putIdempotencyRecord = (key: Key, item: IdempotencyRecord, now: number): Write =>
  put(
    IDEMPOTENCY_RECORD,
    { ...key, ...item },
    guard('answer: none is kept', any(absent('pk'), atMost('expires_at', now))),
  );
