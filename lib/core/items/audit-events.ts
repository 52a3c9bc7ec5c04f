import * as z from 'zod';
import { auditDetails } from '../../contract/audit.ts';
import { timeOf } from '../../domain/ordered-id.ts';
import { put } from '../../store/dynamodb/expressions.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { alsoEarlier } from '../../store/dynamodb/upgrade.ts';
import type { Key } from '../../store/keys/index.ts';

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
  v: z.literal(2),
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
/** Details of the second version may say by which rule a token was exchanged, and for which job. */
export const anyAuditEvent = alsoEarlier(auditEvent, 2);
export type AuditEvent = z.infer<typeof auditEvent>;

/**
 * Whose an audit event is: a tenant's, an organization's where no tenant is known, else the installation's.
 */
export type AuditPlace = { tenantId: string } | { organizationId: string } | 'installation';

/** What the partition keys of its audit begin with. */
export function auditPk(place: AuditPlace): string {
  if (place === 'installation') return 'I';
  return 'tenantId' in place ? `T#${place.tenantId}` : `O#${place.organizationId}`;
}

export const auditEventKey = (place: AuditPlace, eventId: string): Key => ({
  pk: `${auditPk(place)}#AU`,
  sk: eventId,
});

const DAY_SECONDS = 86_400;

/** The event that a mark tells of, kept for so many days after its request. */
export const auditEventOf = (
  mark: AuditMark,
  of: Pick<AuditEvent, 'deployment_id' | 'subject_id'>,
  days: number,
): AuditEvent => ({
  v: 2,
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
