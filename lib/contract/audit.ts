import * as z from 'zod';
import { lazy } from './lazy.ts';
import { time } from './logs.ts';
import { id, orNull, page } from './query.ts';

/** What people do that is kept as an audit event: the kind of thing and the verb. */
export const auditActions = [
  'deployment.create',
  'deployment.change',
  'deployment.delete',
  'revision.create',
  'revision.redeploy',
  'revision.interrupt',
  'listener.create',
  'listener.change',
  'listener.delete',
  'integration.create',
  'integration.delete',
  'webhook.create',
  'webhook.delete',
  'api_key.create',
  'api_key.revoke',
  'tenant.create',
  'tenant.change',
  'membership.change',
  'oauth_provider.create',
  'oauth_provider.change',
  'oauth_provider.delete',
  'oauth_token.create',
  'oauth_token.change',
  'oauth_token.delete',
  'connection.create',
  'connection.delete',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** `GET /v2/audit-events`. */
export const listAuditEventsQuery = lazy(() =>
  z.object({
    ...page(),
    action: orNull(z.enum(auditActions).optional()),
    user_id: z.string().optional(),
    deployment_id: id().optional(),
    /** Included; epoch milliseconds once parsed. */
    since: time().optional(),
    /** Not included. */
    until: time().optional(),
  }),
);

const auditEventView = lazy(() =>
  z.object({
    id: z.guid(),
    at: z.string(),
    action: z.string(),
    user_id: z.string(),
    key_id: z.string(),
    request_id: z.string().nullable(),
    /** The kind of thing that was acted on, as `action` begins. */
    resource_type: z.string(),
    resource_id: z.string().nullable(),
    deployment_id: z.guid().nullable(),
  }),
);
export type AuditEventView = z.input<ReturnType<typeof auditEventView>>;

export const auditEventListView = lazy(() =>
  z.object({ resources: z.array(auditEventView()), offset: z.int() }),
);
