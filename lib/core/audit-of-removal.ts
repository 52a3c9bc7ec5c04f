import type { AuditAction } from '../contract/audit.ts';
import { type AuditEvent, auditEventOf, putAuditEvent } from '../store/audit-events.ts';
import type { Write } from '../store/dynamodb/transact.ts';
import { auditOf } from './audit.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';

/**
 * The audit event of a request that removes an item, to be written in the transaction that removes it: what
 * is gone carries no mark. Its function needs `table:put`, and `AUDIT_DAYS` among its variables.
 */
export function auditOfRemoval(
  deps: Pick<Deps, 'clock' | 'settings'>,
  caller: Caller,
  action: AuditAction,
  of: Pick<AuditEvent, 'deployment_id' | 'subject_id'>,
): Write {
  const mark = auditOf(deps, caller, action);
  return putAuditEvent({ tenantId: caller.tenantId }, auditEventOf(mark, of, deps.settings.auditDays));
}
