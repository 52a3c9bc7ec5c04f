import type { Key } from './index.ts';

/**
 * Whose an audit event is: a tenant's, an organization's where no tenant is known, else the installation's.
 */
export type AuditPlace = { tenantId: string } | { organizationId: string } | 'installation';

function placePk(place: AuditPlace): string {
  if (place === 'installation') return 'I';
  return 'tenantId' in place ? `T#${place.tenantId}` : `O#${place.organizationId}`;
}

export const auditEventKey = (place: AuditPlace, eventId: string): Key => ({
  pk: `${placePk(place)}#AU`,
  sk: eventId,
});

/** `hour`: its beginning, in epoch milliseconds. */
export const refusalsKey = (place: AuditPlace, hour: number, kind: 'known' | 'unknown'): Key => ({
  pk: `${placePk(place)}#AR`,
  sk: `${hour}#${kind}`,
});
