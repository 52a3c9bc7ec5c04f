import { absent, equals, guard } from '../../store/expressions.ts';
import type { Revision } from '../../store/items.ts';
import { due, revisionKey } from '../../store/keys.ts';
import type { Item, Write } from '../../store/operations.ts';
import { refOf, revise, sameOutcome } from '../../store/revisions.ts';

/**
 * Records on a revision, as it was read, that it is to be stopped; dispatch stops what is at work. Refused once its listener moves traffic or its
 * deploy has ended. `also`: what the same write sets beside.
 */
export function interruptRequest(revision: Revision, now: number, also: Item = {}): Write {
  const key = revisionKey(revision.tenant_id, revision.deployment_id, revision.number);
  const at = new Date(now).toISOString();
  return revise(
    refOf(revision),
    { set: { interrupt_requested_at: at, updated_at: at, ...also, ...due(key.pk, now) } },
    guard('transition: status as read', equals('status', revision.status)),
    guard('interrupt: none is asked for', absent('interrupt_requested_at')),
    guard('interrupt: traffic does not move', absent('switching')),
    sameOutcome(revision),
  );
}

/** Too late to stop it: its listener moves traffic, or has said how that ended. */
export const isTooLate = ({ switching, outcome }: Revision): boolean =>
  switching === true || outcome?.stage === 'deploy';
