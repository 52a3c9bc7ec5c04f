import * as z from 'zod';

export const organization = z.object({
  v: z.literal(1),
  entity: z.literal('organization'),
  organization_id: z.string(),
  name: z.string(),
  created_at: z.string(),
});
export type Organization = z.infer<typeof organization>;

/** A tenant in the list of its organization. */
export const tenantRow = z.object({
  v: z.literal(1),
  entity: z.literal('tenant_row'),
  /** The tenant's id. */
  sk: z.string(),
  name: z.string(),
  created_at: z.string(),
});
export type TenantRow = z.infer<typeof tenantRow>;
