import * as z from 'zod';
import { auditDetails } from '../contract/audit.ts';
import { prefixAt, timeOf } from '../domain/ordered-id.ts';
import { absent, equals, present, put, update } from './dynamodb/expressions.ts';
import { find, queryAll } from './dynamodb/reads.ts';
import type { Write } from './dynamodb/transact.ts';
import { type AuditPlace, auditEventKey, refusalsKey } from './keys/audit.ts';
import type { Table } from './table.ts';

export type { AuditPlace } from './keys/audit.ts';

/**
 * Who made the newest change of an item on a person's request: the attribute `audit`, which lies beside the
 * item's shape as its keys do. The consumer of the stream makes an audit event of each new one; nothing else
 * reads it.
 */
export const auditMark = z.object({
  /**
   * UUIDv7: the audit event's own id, the same however often the record is delivered; its time is the
   * request's.
   */
  id: z.string(),
  action: z.string(),
  tenant_id: z.string(),
  user_id: z.string(),
  key_id: z.string(),
  request_id: z.string().optional(),
  /** What was acted on, where that is not the item itself that carries the mark. */
  subject_id: z.string().optional(),
  details: auditDetails.optional(),
});
export type AuditMark = z.infer<typeof auditMark>;

/**
 * Who did what to which thing; expires. Thin, for lists walk over it: whose it is is in its key alone, the
 * time in its id.
 */
export const auditEvent = z.object({
  v: z.literal(1),
  entity: z.literal('audit_event'),
  /** The event's id. */
  sk: z.string(),
  action: z.string(),
  /** Absent: unknown. */
  user_id: z.string().optional(),
  key_id: z.string().optional(),
  request_id: z.string().optional(),
  deployment_id: z.string().optional(),
  /** Absent: it is the deployment. */
  subject_id: z.string().optional(),
  details: auditDetails.optional(),
  /** How many equal requests it stands for; absent: one. */
  count: z.number().optional(),
  ttl: z.number(),
});
export type AuditEvent = z.infer<typeof auditEvent>;

const DAY_SECONDS = 86_400;

/** The event that a mark tells of, kept for so many days after its request. */
export const auditEventOf = (
  mark: AuditMark,
  of: Pick<AuditEvent, 'deployment_id' | 'subject_id'>,
  days: number,
): AuditEvent => ({
  v: 1,
  entity: 'audit_event',
  sk: mark.id,
  action: mark.action,
  user_id: mark.user_id,
  key_id: mark.key_id,
  ...(mark.request_id !== undefined && { request_id: mark.request_id }),
  ...(mark.details !== undefined && { details: mark.details }),
  ...of,
  ttl: auditTtl(mark.id, days),
});

/** When an event is dropped, in epoch seconds: so many days after the request that its id was made in. */
export const auditTtl = (id: string, days: number): number =>
  Math.ceil(timeOf(id) / 1000) + days * DAY_SECONDS;

/** The same item however often it is written. */
export const putAuditEvent = (place: AuditPlace, event: AuditEvent): Write =>
  put(`audit_event ${event.sk}`, { ...auditEventKey(place, event.sk), ...event });

/** Adds to the number of requests that an event stands for. */
export const countInAuditEvent = (place: AuditPlace, id: string, count: number): Write =>
  update('audit_event', auditEventKey(place, id), { add: { count } }, present('pk'));

/**
 * Which callers were refused within an hour, and under which id that is an audit event; expires. It bounds
 * how many events there can be.
 */
export const refusals = z.object({
  v: z.literal(1),
  entity: z.literal('refusals'),
  version: z.int(),
  /** Event ids by caller. */
  callers: z.record(z.string(), z.string()),
  ttl: z.number(),
});
export type Refusals = z.infer<typeof refusals>;
export type RefusalsKey = { place: AuditPlace; hour: number; kind: 'known' | 'unknown' };

export const findRefusals = (
  table: Table,
  { place, hour, kind }: RefusalsKey,
): Promise<Refusals | undefined> => find(table, refusalsKey(place, hour, kind), refusals);

/** Adds a caller; not made when another was added meanwhile. */
export function addCaller(
  { place, hour, kind }: RefusalsKey,
  before: Refusals | undefined,
  caller: string,
  eventId: string,
): Write {
  const item: Refusals = {
    v: 1,
    entity: 'refusals',
    version: (before?.version ?? 0) + 1,
    callers: { ...before?.callers, [caller]: eventId },
    // Lines of a log come late at times.
    ttl: Math.ceil(hour / 1000) + DAY_SECONDS,
  };
  const unchanged = before === undefined ? absent('pk') : equals('version', before.version);
  return put('refusals', { ...refusalsKey(place, hour, kind), ...item }, unchanged);
}

/** Sort before and after every id. */
const BEFORE_ALL = '0';
const AFTER_ALL = 'g';

/**
 * The audit events of a tenant, an organization or the installation, newest first, from `since` (included) to
 * `until` (not included), both in epoch milliseconds. Eventually consistent, at half the price: they come by
 * the stream, a moment after what they tell of.
 */
export async function* auditEvents(
  table: Table,
  place: AuditPlace,
  { since, until }: { since: number | undefined; until: number | undefined },
): AsyncGenerator<AuditEvent> {
  const from = since === undefined ? BEFORE_ALL : prefixAt(since);
  const to = until === undefined ? AFTER_ALL : prefixAt(until);
  // The table refuses a range that ends before it begins.
  if (from > to) return;
  const { pk } = auditEventKey(place, '');
  yield* queryAll(table, auditEvent, { pk, between: [from, to], newestFirst: true, eventually: true });
}
