import * as z from 'zod';
import { lazy } from '../contract/lazy.ts';
import { prefixAt, timeOf } from '../domain/ordered-id.ts';
import { put } from './expressions.ts';
import { auditEventKey } from './keys.ts';
import { queryAll, type Write } from './operations.ts';
import type { Table } from './table.ts';

/**
 * Who made the newest change of an item on a person's request: the attribute `audit`, which lies beside the item's shape as its keys do.
 * The consumer of the stream makes an audit event of each new one; nothing else reads it.
 */
export const auditMark = lazy(() =>
  z.object({
    /** UUIDv7: the audit event's own id, the same however often the record is delivered; its time is the request's. */
    id: z.string(),
    action: z.string(),
    tenant_id: z.string(),
    user_id: z.string(),
    key_id: z.string(),
    request_id: z.string().optional(),
    /** What was acted on, where that is not the item itself that carries the mark. */
    subject_id: z.string().optional(),
  }),
);
export type AuditMark = z.infer<ReturnType<typeof auditMark>>;

/** Who did what to which thing; expires. Thin, for lists walk over it: the tenant is in its key alone, the time in its id. */
export const auditEvent = lazy(() =>
  z.object({
    v: z.literal(1),
    entity: z.literal('audit_event'),
    /** The event's id. */
    sk: z.string(),
    action: z.string(),
    user_id: z.string(),
    key_id: z.string(),
    request_id: z.string().optional(),
    deployment_id: z.string().optional(),
    /** Absent: it is the deployment. */
    subject_id: z.string().optional(),
    ttl: z.number(),
  }),
);
export type AuditEvent = z.infer<ReturnType<typeof auditEvent>>;

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
  ...of,
  ttl: Math.ceil(timeOf(mark.id) / 1000) + days * DAY_SECONDS,
});

/** The same item however often it is written. */
export const putAuditEvent = (tenantId: string, event: AuditEvent): Write =>
  put(`audit_event ${event.sk}`, { ...auditEventKey(tenantId, event.sk), ...event });

/** Sort before and after every id. */
const BEFORE_ALL = '0';
const AFTER_ALL = 'g';

/**
 * A tenant's audit events, newest first, from `since` (included) to `until` (not included), both in epoch milliseconds. Eventually consistent,
 * at half the price: they come by the stream, a moment after what they tell of.
 */
export async function* auditEvents(
  table: Table,
  tenantId: string,
  { since, until }: { since: number | undefined; until: number | undefined },
): AsyncGenerator<AuditEvent> {
  const from = since === undefined ? BEFORE_ALL : prefixAt(since);
  const to = until === undefined ? AFTER_ALL : prefixAt(until);
  // The table refuses a range that ends before it begins.
  if (from > to) return;
  const { pk } = auditEventKey(tenantId, '');
  yield* queryAll(table, auditEvent, { pk, between: [from, to], newestFirst: true, eventually: true });
}
