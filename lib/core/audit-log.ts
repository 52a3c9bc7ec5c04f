import type { AuditEvent, AuditMark } from '../store/audit-events.ts';
import type { Known } from './identity/refused.ts';

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
