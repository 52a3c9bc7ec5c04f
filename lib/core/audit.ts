import type { AuditAction, AuditDetails } from '../contract/audit.ts';
import type { AuditMark } from '../store/audit-events.ts';
import type { HandedOut } from './audit-log.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';

type Asking = Pick<Caller, 'tenantId' | 'userId' | 'keyId' | 'requestId'>;

/**
 * The attribute `audit` of an item that a person's request changes, to be set in the very write that changes
 * it (`put('x', {...item, audit})`, `set: { audit }`). The second consumer of the stream makes the audit
 * event of it, so a request writes nothing twice. It says who and what, never what a configuration holds. Set
 * it on an item that is seldom written again (a revision's configuration rather than the deployment): each
 * later write pays for its bytes.
 */
export function auditOf(
  { clock }: Pick<Deps, 'clock'>,
  caller: Asking,
  action: AuditAction,
  details?: AuditDetails,
): AuditMark {
  return {
    id: clock.orderedId(),
    action,
    tenant_id: caller.tenantId,
    user_id: caller.userId,
    key_id: caller.keyId,
    ...(caller.requestId !== undefined && { request_id: caller.requestId }),
    ...(details !== undefined && { details }),
  };
}

/**
 * The audit event of a request that was given a credential or a secret and changes nothing that could carry a
 * mark. Most such requests have no right to write, so it goes by the log; call it when everything that could
 * fail is over.
 */
export function auditHandOut(
  deps: Pick<Deps, 'clock' | 'auditLog'>,
  caller: Asking,
  action: AuditAction,
  of: Pick<HandedOut, 'deployment_id' | 'subject_id'>,
): void {
  deps.auditLog.handedOut({ ...auditOf(deps, caller, action), ...of });
}
