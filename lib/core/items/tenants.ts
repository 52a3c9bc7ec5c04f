import * as z from 'zod';
import { find } from '../../store/dynamodb/reads.ts';
import type { Key } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';

const TENANT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The tenant that a header names. It becomes part of a key of the table, where anything but an id would name
 * another kind of item.
 */
export const tenantIdIn = (header: string): string | undefined =>
  TENANT_ID.test(header) ? header.toLowerCase() : undefined;

export const tenantKey = (tenantId: string): Key => ({ pk: `T#${tenantId}`, sk: 'A' });

export const tenant = z.object({
  tenant_id: z.string(),
  v: z.literal(1),
  entity: z.literal('tenant'),
  organization_id: z.string(),
  name: z.string(),
  created_at: z.string(),
});
export type Tenant = z.infer<typeof tenant>;

export const findTenant = (table: Table, tenantId: string): Promise<Tenant | undefined> =>
  find(table, tenantKey(tenantId), tenant);
