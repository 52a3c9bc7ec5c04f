import * as z from 'zod';
import type { AuditMark } from '../audit-events.ts';
import { absent, put } from '../dynamodb/expressions.ts';
import { find, queryAll } from '../dynamodb/reads.ts';
import type { Write } from '../dynamodb/transact.ts';
import { tenantKey, tenantRowKey } from '../keys/index.ts';
import type { Table } from '../table.ts';

export const tenant = z.object({
  tenant_id: z.string(),
  v: z.literal(1),
  entity: z.literal('tenant'),
  organization_id: z.string(),
  name: z.string(),
  created_at: z.string(),
});
export type Tenant = z.infer<typeof tenant>;

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

export const findTenant = (table: Table, tenantId: string): Promise<Tenant | undefined> =>
  find(table, tenantKey(tenantId), tenant);

/** An organization's tenants, newest first; `limit` is how many are read at a time. */
export const tenantRows = (table: Table, organizationId: string, limit: number): AsyncGenerator<TenantRow> =>
  queryAll(table, tenantRow, { pk: tenantRowKey(organizationId, '').pk, newestFirst: true, limit });

/** Stores a new tenant, and its row in the list of its organization. `audit`: who asked for it. */
export function putTenant(item: Omit<Tenant, 'v' | 'entity'>, audit?: AuditMark): Write[] {
  const { tenant_id: id, organization_id, name, created_at } = item;
  const row: Omit<TenantRow, 'sk'> = { v: 1, entity: 'tenant_row', name, created_at };
  return [
    put('tenant', { ...tenantKey(id), v: 1, entity: 'tenant', ...item, audit }, absent('pk')),
    put('tenant_row', { ...tenantRowKey(organization_id, id), ...row }, absent('pk')),
  ];
}
