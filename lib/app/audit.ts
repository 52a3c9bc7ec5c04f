import type { AuditAction } from '../contract/audit.ts';
import type { AuditMark } from '../store/audit-items.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';

/**
 * The attribute `audit` of an item that a person's request changes, to be set in the very write that changes it (`put('x', {...item, audit})`,
 * `set: { audit }`). The second consumer of the stream makes the audit event of it, so a request writes nothing twice. It says who and what,
 * never what a configuration holds. Set it on an item that is seldom written again (a revision's configuration rather than the deployment):
 * each later write pays for its bytes.
 */
export function auditOf(
  { clock }: Pick<Deps, 'clock'>,
  caller: Pick<Caller, 'tenantId' | 'userId' | 'keyId'>,
  action: AuditAction,
  requestId?: string,
): AuditMark {
  return {
    id: clock.orderedId(),
    action,
    tenant_id: caller.tenantId,
    user_id: caller.userId,
    key_id: caller.keyId,
    ...(requestId !== undefined && { request_id: requestId }),
  };
}
