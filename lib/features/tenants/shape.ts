import * as z from 'zod';
import { resourceName } from '../../contract/validation/name.ts';

/** Tenants in requests and responses. docs/identity.md explains them. */

/** `POST /v2/tenants`. */
export const createTenantBody = z.object({ name: resourceName });

export const tenantView = z.object({
  id: z.guid(),
  organization_id: z.guid(),
  name: z.string(),
  created_at: z.string(),
});
export type TenantView = z.input<typeof tenantView>;
export const tenantListView = z.object({ resources: z.array(tenantView), offset: z.int() });
