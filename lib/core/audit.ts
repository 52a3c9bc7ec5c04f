import type { AuditAction, AuditDetails } from '../contract/audit.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import type { Known } from './identity/refused.ts';
import type { AuditEvent, AuditMark } from './items/audit-events.ts';

type Asking = Pick<Caller, 'tenantId' | 'userId' | 'keyId' | 'requestId'>;
/** `subject_id`: what was acted on, where that is not the item itself that carries the mark. */
type Marked = { action: AuditAction; details?: AuditDetails | undefined; subject_id?: string };

/**
 * The attribute `audit` of an item that a person's request changes, to be set in the very write that changes
 * it (`put('x', {...item, audit})`, `set: { audit }`). The second consumer of the stream makes the audit
 * event of it, so a request writes nothing twice. It says who and what, never what a configuration holds. Set
 * it on an item that is seldom written again (a revision's configuration rather than the deployment): each
 * later write pays for its bytes.
 */
export function auditMarkOf(
  { clock }: Pick<Deps, 'clock'>,
  { action, details, subject_id }: Marked,
  caller: Asking,
): AuditMark {
  return {
    id: clock.orderedId(),
    action,
    tenant_id: caller.tenantId,
    user_id: caller.userId,
    key_id: caller.keyId,
    ...(caller.requestId !== undefined && { request_id: caller.requestId }),
    ...(details !== undefined && { details }),
    ...(subject_id !== undefined && { subject_id }),
  };
}

/**
 * Audits a request that was given a credential or a secret and changes nothing that could carry a mark. Most
 * such requests have no right to write, so it goes by the log; call it when everything that could fail is
 * over.
 */
export function auditHandOut(
  deps: Pick<Deps, 'clock' | 'auditLog'>,
  { action, ...of }: { action: AuditAction } & Pick<HandedOut, 'deployment_id' | 'subject_id'>,
  caller: Asking,
): void {
  deps.auditLog.handedOut({ ...auditMarkOf(deps, { action }, caller), ...of });
}

/** A request was given a credential or a secret: who, and of which thing. */
export type HandedOut = AuditMark & Pick<AuditEvent, 'deployment_id'>;

/** One request that was answered with 401 or 403. */
export type Refusal = {
  /** Epoch milliseconds. */
  at: number;
  /** A new UUIDv7. */
  id: string;
  requestId: string;
  status: number;
  /** The error's code, where there is one. */
  reason: string | undefined;
  operation: string;
  sourceAddress: string;
  /** What kind of credential came: never the credential. */
  credential: string;
  /** Whose it is, as far as that is certain. */
  known: Known | undefined;
  /** The tenant that the request named, if it named any. */
  claimedTenantId: string | undefined;
};

/**
 * Hears of what is audited and written by no request: most functions that answer may only read. Costs the
 * request nothing and never fails it.
 */
export type AuditLog = {
  handedOut(event: HandedOut): void;
  refused(refusal: Refusal): void;
};
