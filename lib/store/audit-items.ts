import * as z from 'zod';
import { lazy } from '../contract/lazy.ts';

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
  }),
);
export type AuditMark = z.infer<ReturnType<typeof auditMark>>;

/** What was done to which thing; expires. */
export const auditEvent = lazy(() =>
  z.object({
    v: z.literal(1),
    entity: z.literal('audit_event'),
    tenant_id: z.string(),
    id: z.string(),
    at: z.string(),
    action: z.string(),
    user_id: z.string(),
    key_id: z.string(),
    request_id: z.string().optional(),
    subject_type: z.string(),
    subject_id: z.string(),
    deployment_id: z.string().optional(),
    ttl: z.number(),
  }),
);
export type AuditEvent = z.infer<ReturnType<typeof auditEvent>>;
