import * as z from 'zod';
import { absent, any, atMost, guard, put } from './dynamodb/expressions.ts';
import { patienceOf } from './dynamodb/patience.ts';
import { find } from './dynamodb/reads.ts';
import { IDEMPOTENCY_RECORD, type Write } from './dynamodb/transact.ts';
import { idempotencyRecordKey } from './keys/index.ts';
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

/** Where an answer is kept; `scopeHash`: of who asked what under which key. */
export type RecordPlace = { tenantId: string; scopeHash: string };

/** The answer that is kept here, unless its time is over. */
export async function findIdempotencyRecord(
  table: Table,
  { tenantId, scopeHash }: RecordPlace,
  now: number,
): Promise<IdempotencyRecord | undefined> {
  const found = await find(table, idempotencyRecordKey(tenantId, scopeHash), idempotencyRecord);
  return found !== undefined && found.expires_at > now ? found : undefined;
}

/**
 * Forty strongly consistent reads of one answer, at most; it is there within milliseconds of its transaction.
 */
const LOOK_MILLISECONDS = 500;

/**
 * The answer that is kept here, as soon as it is; undefined when there is none at `until` (epoch
 * milliseconds).
 */
export async function awaitIdempotencyRecord(
  table: Table,
  place: RecordPlace,
  clock: { now(): number },
  until: number,
): Promise<IdempotencyRecord | undefined> {
  for (;;) {
    const found = await findIdempotencyRecord(table, place, clock.now());
    if (found !== undefined || clock.now() >= until) return found;
    await patienceOf(table).pause(LOOK_MILLISECONDS);
  }
}

type Answer = Pick<IdempotencyRecord, 'request_hash' | 'status' | 'headers' | 'body'>;

const RECORD_MILLISECONDS = 24 * 3_600_000;

/**
 * Keeps an answer for a day. Demands that none is kept: the transaction that this is part of throws
 * `AlreadyRecorded` otherwise.
 */
export function putIdempotencyRecord(
  { tenantId, scopeHash }: RecordPlace,
  answer: Answer,
  now: number,
): Write {
  const expires_at = now + RECORD_MILLISECONDS;
  const item: IdempotencyRecord = {
    v: 1,
    entity: 'answer',
    tenant_id: tenantId,
    ...answer,
    expires_at,
    ttl: Math.ceil(expires_at / 1000),
  };
  return put(
    IDEMPOTENCY_RECORD,
    { ...idempotencyRecordKey(tenantId, scopeHash), ...item },
    guard('answer: none is kept', any(absent('pk'), atMost('expires_at', now))),
  );
}
