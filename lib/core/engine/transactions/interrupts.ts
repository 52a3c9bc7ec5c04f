import {
  absent,
  type Change,
  equals,
  guard,
  type Test,
  update,
} from '../../../store/dynamodb/expressions.ts';
import type { Write } from '../../../store/dynamodb/transact.ts';
import { deploymentKeyOf } from '../../../store/keys/index.ts';
import type { AuditMark } from '../../items/audit-events.ts';
import { waitingIn, waitingRow } from '../../items/deployment-rows.ts';
import type { Deployment, Revision } from '../../items/items.ts';
import { dueAt, endedDue, inFlightDue } from '../../items/looks.ts';
import { noteEnds } from '../../items/revision-ends.ts';
import { move, notInterrupted, revise, sameOutcome, statusAsRead } from '../../items/revision-moves.ts';
import { refOf } from '../../items/revisions.ts';

/**
 * Asks for a revision in progress to be stopped; dispatch stops what is at work. Demands that its status and
 * outcome are as read, that nobody has asked before, and that its listener does not move traffic. `audit`:
 * who asked, if that is a person.
 */
export function requestInterrupt(revision: Revision, now: number, audit?: AuditMark): Write {
  const ref = refOf(revision);
  const at = new Date(now).toISOString();
  return revise(
    ref,
    { set: { interrupt_requested_at: at, updated_at: at, audit, ...dueAt(ref, now) } },
    statusAsRead(revision),
    notInterrupted,
    guard('interrupt: traffic does not move', absent('switching')),
    sameOutcome(revision),
  );
}

/** Too late to stop it: its listener moves traffic, or has said how that ended. */
export const isTooLate = ({ switching, outcome }: Revision): boolean =>
  switching === true || outcome?.stage === 'deploy';

/**
 * Ends a revision that no step has begun with; it leaves the queue, or the slot if it has that already.
 * Demands that it is still QUEUED and at its place.
 */
export function interruptQueued(
  deployment: Deployment,
  revision: Revision,
  { message, audit, now }: { message: string; audit: AuditMark; now: number },
): Write[] {
  const ref = refOf(revision);
  const [leave, isThere] = placeOf(deployment, revision);
  return [
    move(revision, 'INTERRUPTED', now, {
      set: {
        status_message: message,
        interrupt_requested_at: new Date(now).toISOString(),
        audit,
        ...endedDue(ref, now),
      },
    }),
    ...noteEnds([revision], 'INTERRUPTED'),
    update('deployment', deploymentKeyOf(deployment), { ...leave, set: inFlightDue(ref, now) }, isThere),
    ...waitsNoMore(deployment, revision),
  ];
}

function waitsNoMore(deployment: Deployment, { number }: Revision): Write[] {
  const { queued, status } = deployment;
  if (!queued.includes(number) || waitingIn(deployment) === 0 || status === 'AWAITING_DELETE') return [];
  const left = queued.filter((each) => each !== number);
  return [waitingRow(deployment, waitingIn({ ...deployment, queued: left }))];
}

/** How a revision leaves where it waits, and the test that it is there. */
function placeOf({ slot, queued }: Deployment, { id, number }: Revision): [Change, Test] {
  if (slot?.kind === 'revision' && slot.revision_id === id)
    return [{ remove: ['slot'] }, guard('slot: still has it', equals('slot.revision_id', id))];
  const place = `queued[${queued.indexOf(number)}]`;
  return [{ remove: [place] }, guard('queue: its place as read', equals('queued', queued))];
}
