import type { AuditMark } from '../../core/items/audit-events.ts';
import { type Tenant, tenantKey } from '../../core/items/tenants.ts';
import { absent, put } from '../../store/dynamodb/expressions.ts';
import { find, queryAll } from '../../store/dynamodb/reads.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import type { Key } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';
import { type Organization, organization, type TenantRow, tenantRow } from './items.ts';

export const tenantRowKey = (organizationId: string, tenantId: string): Key => ({
  pk: `O#${organizationId}#TL`,
  sk: tenantId,
});

const organizationKey = (organizationId: string): Key => ({ pk: `O#${organizationId}`, sk: 'A' });

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

export const findOrganization = (table: Table, organizationId: string): Promise<Organization | undefined> =>
  find(table, organizationKey(organizationId), organization);

/** Stores a new organization. */
export const putOrganization = (item: Organization): Write =>
  put('organization', { ...organizationKey(item.organization_id), ...item }, absent('pk'));
