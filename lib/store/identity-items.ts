import * as z from 'zod';
import { lazy } from '../contract/lazy.ts';
import { roles } from '../contract/roles.ts';

/** Stored shapes of who may do what; the rules of items.ts hold here too. */
export const apiKey = lazy(() =>
  z.object({
    v: z.literal(1),
    entity: z.literal('api_key'),
    id: z.string(),
    organisation_id: z.string(),
    /** Absent: the key is the organisation's, each request names its tenant. */
    tenant_id: z.string().optional(),
    user_id: z.string(),
    role: z.enum(roles),
    listener_id: z.string().optional(),
    name: z.string(),
    hint: z.string(),
    created_at: z.string(),
    expires_at: z.string().optional(),
    revoked_at: z.string().optional(),
  }),
);
export type ApiKeyItem = z.infer<ReturnType<typeof apiKey>>;

export const tenant = lazy(() =>
  z.object({
    tenant_id: z.string(),
    v: z.literal(1),
    entity: z.literal('tenant'),
    organisation_id: z.string(),
    name: z.string(),
    created_at: z.string(),
  }),
);
