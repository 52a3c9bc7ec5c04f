import type { HandedOut } from '../../core/audit-log.ts';
import type { Deps } from '../../core/deps.ts';
import { auditEventOf, putAuditEvent } from '../../store/audit-events.ts';
import { write } from '../../store/dynamodb/write.ts';

/** Writes down that a request was given a credential or a secret; the same however often it is said. */
export async function noteHandOut(
  { table, settings }: Pick<Deps, 'table' | 'settings'>,
  { deployment_id, subject_id, ...mark }: HandedOut,
): Promise<void> {
  const of = {
    ...(deployment_id !== undefined && { deployment_id }),
    ...(subject_id !== undefined && { subject_id }),
  };
  const event = auditEventOf(mark, of, settings.auditDays);
  await write(table, putAuditEvent({ tenantId: mark.tenant_id }, event));
}
