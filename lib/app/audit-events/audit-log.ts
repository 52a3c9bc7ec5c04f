import type { AuditEvent, AuditMark } from '../../store/audit-events.ts';
import type { Refusal } from './refusal.ts';

/** A request was given a credential or a secret: who, and of which thing. */
export type HandedOut = AuditMark & Pick<AuditEvent, 'deployment_id'>;

/**
 * Hears of what is audited and written by no request: most functions that answer may only read. Costs the
 * request nothing and never fails it.
 */
export type AuditLog = {
  handedOut(event: HandedOut): void;
  refused(refusal: Refusal): void;
};
