import * as z from 'zod';
import { auditActions, auditDetails } from '../../contract/audit.ts';
import { id, orNull, page } from '../../contract/validation/query.ts';
import { time } from '../../contract/validation/time.ts';

/** `GET /v2/audit-events`. */
export const listAuditEventsQuery = z.object({
  ...page,
  action: orNull(z.enum(auditActions).optional()),
  user_id: z.string().optional(),
  deployment_id: id.optional(),
  /** Included; epoch milliseconds once parsed. */
  since: time.optional(),
  /** Not included. */
  until: time.optional(),
});

const auditEventView = z.object({
  id: z.guid(),
  at: z.string(),
  action: z.string(),
  /** Null: unknown. */
  user_id: z.string().nullable(),
  key_id: z.string().nullable(),
  /** Of equal requests that are one event: of the first. */
  request_id: z.string().nullable(),
  /** How many equal requests this one event stands for. */
  count: z.int(),
  details: auditDetails,
  /** The kind of thing that was acted on, as `action` begins. */
  resource_type: z.string(),
  resource_id: z.string().nullable(),
  deployment_id: z.guid().nullable(),
});
export type AuditEventView = z.input<typeof auditEventView>;

export const auditEventListView = z.object({ resources: z.array(auditEventView), offset: z.int() });
