import * as z from 'zod';

/** Keeps a name taken; tells a repeated create from another one. */
export const nameReservation = z.object({
  tenant_id: z.string(),
  v: z.literal(1),
  entity: z.literal('name'),
  deployment_id: z.string(),
  created_by: z.string(),
  created_at: z.string(),
  request_hash: z.string(),
});
