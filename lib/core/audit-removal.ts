import type { AuditAction } from '../contract/audit.ts';
import type { Write } from '../store/dynamodb/transact.ts';
import { auditMarkOf } from './audit.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { type AuditEvent, auditEventOf, putAuditEvent } from './items/audit-events.ts';

/**
 * The audit event of a request that removes an item, to be written in the transaction that removes it: what
 * is gone carries no mark. Its function needs `table:put`, and `AUDIT_DAYS` among its variables. It is apart
 * from `audit.ts` because it takes the schemas of audit events into its function's bundle.
 */
export function auditRemovalWrite(
  deps: Pick<Deps, 'clock' | 'settings'>,
  { action, ...of }: { action: AuditAction } & Pick<AuditEvent, 'deployment_id' | 'subject_id'>,
  caller: Caller,
): Write {
  const mark = auditMarkOf(deps, { action }, caller);
  return putAuditEvent({ tenantId: caller.tenantId }, auditEventOf(mark, of, deps.settings.auditDays));
}
