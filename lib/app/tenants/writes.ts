import type { AuditMark } from '../../store/audit-items.ts';
import { absent, put } from '../../store/expressions.ts';
import { tenantKey, tenantRowKey } from '../../store/keys.ts';
import type { Write } from '../../store/operations.ts';

/** A new tenant, and its row in the list of its organization. */
export function tenantWrites(
  made: { organizationId: string; tenantId: string; name: string; created_at: string },
  audit?: AuditMark,
): Write[] {
  const { organizationId, tenantId, name, created_at } = made;
  const item = { v: 1, entity: 'tenant', tenant_id: tenantId, organization_id: organizationId };
  const row = { v: 1, entity: 'tenant_row', name, created_at };
  const mark = audit === undefined ? {} : { audit };
  return [
    put('tenant', { ...tenantKey(tenantId), ...item, name, created_at, ...mark }, absent('pk')),
    put('tenant_row', { ...tenantRowKey(organizationId, tenantId), ...row }, absent('pk')),
  ];
}
