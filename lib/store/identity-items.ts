import * as z from 'zod';
import { memberRoles, roles } from '../contract/roles.ts';

/** Stored shapes of who may do what; the rules of items.ts hold here too. */
export const apiKey = z.object({
  v: z.literal(1),
  entity: z.literal('api_key'),
  id: z.string(),
  organization_id: z.string(),
  /** Absent: the key is the organization's, each request names its tenant. */
  tenant_id: z.string().optional(),
  user_id: z.string(),
  role: z.enum(roles),
  listener_id: z.string().optional(),
  name: z.string(),
  hint: z.string(),
  created_at: z.string(),
  expires_at: z.string().optional(),
  revoked_at: z.string().optional(),
});
export type ApiKeyItem = z.infer<typeof apiKey>;

export const tenant = z.object({
  tenant_id: z.string(),
  v: z.literal(1),
  entity: z.literal('tenant'),
  organization_id: z.string(),
  name: z.string(),
  created_at: z.string(),
});

export const organization = z.object({
  v: z.literal(1),
  entity: z.literal('organization'),
  organization_id: z.string(),
  name: z.string(),
  created_at: z.string(),
});

/** What lists of keys walk over; thin, so that it costs little to pass over. Owner and id are in its key alone. */
export const apiKeyRow = z.object({
  v: z.literal(1),
  entity: z.literal('api_key_row'),
  /** The key's id. */
  sk: z.string(),
  /** Where the key itself lies. */
  hash: z.string(),
  /** Epoch milliseconds, to the hour. */
  last_used_at: z.number().optional(),
});
export type ApiKeyRow = z.infer<typeof apiKeyRow>;

/** A tenant in the list of its organization. */
export const tenantRow = z.object({
  v: z.literal(1),
  entity: z.literal('tenant_row'),
  /** The tenant's id. */
  sk: z.string(),
  name: z.string(),
  created_at: z.string(),
});

/** What a user of the identity provider may do in a tenant. */
export const member = z.object({
  v: z.literal(1),
  entity: z.literal('member'),
  /** The member's id: made from the user's. */
  sk: z.string(),
  organization_id: z.string(),
  user_id: z.string(),
  role: z.enum(memberRoles),
  created_at: z.string(),
  /** Is none any more. */
  removed_at: z.string().optional(),
});
export type MemberItem = z.infer<typeof member>;
