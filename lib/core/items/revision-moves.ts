import type { RevisionRef } from '../../contract/refs.ts';
import { type RevisionStatus, revisionStatuses } from '../../contract/revision-status.ts';
import { isTerminal, pathBetween } from '../../domain/transitions.ts';
import {
  absent,
  type Change,
  equals,
  guard,
  oneOf,
  same,
  type Test,
  update,
} from '../../store/dynamodb/expressions.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { revisionKeyOf } from '../../store/keys/index.ts';
import type { Revision } from './items.ts';
import { MoveRefused, refOf } from './revisions.ts';

// What the writes of a revision have in common. Every write of a revision is `revise` or `move`, but for its
// creation, its removal, and when sweep looks at an ended one.

export const sameRevision = (id: string): Test => guard('identity: the same revision', equals('id', id));

export const statusAsRead = ({ status }: Pick<Revision, 'status'>): Test =>
  guard('transition: status as read', equals('status', status));

export const notInterrupted = guard('interrupt: none is asked for', absent('interrupt_requested_at'));

export const withoutOutcome = guard('outcome: none is recorded', absent('outcome'));

/** The write is of the attempt that is at work. */
export const ownAttempt = (attempt: number): Test => guard('attempt: its own', equals('attempt', attempt));

export const attemptAsRead = ({ attempt }: Pick<Revision, 'attempt'>): Test =>
  guard('attempt: as read', same('attempt', attempt));

/** Demands that the outcome is as it was read, or still none. */
export const sameOutcome = ({ outcome }: Pick<Revision, 'outcome'>): Test =>
  guard(
    'outcome: as read',
    outcome === undefined ? absent('outcome') : equals('outcome.stage', outcome.stage),
  );

const OPEN_STATUSES = revisionStatuses.filter((status) => !isTerminal(status));

/**
 * Changes a revision without moving it. Demands that it has not ended: what comes late changes nothing of a
 * terminal revision.
 */
export const revise = (ref: RevisionRef, change: Change, ...when: Test[]): Write =>
  update(
    'revision',
    revisionKeyOf(ref),
    change,
    sameRevision(ref.revisionId),
    guard('transition: not ended', oneOf('status', OPEN_STATUSES)),
    ...when,
  );

/**
 * Why a revision was UNKNOWN, or what was said of it under way, says nothing of what it is next, which may
 * have no reason of its own.
 */
function outdatedMessage(
  item: Revision,
  set: { status: RevisionStatus; status_message?: unknown },
): string[] {
  const isOutdated = item.status !== set.status && (item.status === 'UNKNOWN' || isTerminal(set.status));
  const hasOwn = set.status_message !== undefined || item.status_message === undefined;
  return isOutdated && !hasOwn ? ['status_message'] : [];
}

/**
 * Moves a revision as it was read to another status, through those between, each with its time in the
 * history. Demands that its status is still what was read. Throws MoveRefused when the transition table has
 * no way, as from every terminal status.
 */
export function move(
  item: Revision,
  to: RevisionStatus,
  now: number,
  change: Change = {},
  ...when: Test[]
): Write {
  const stays = item.status === to && !isTerminal(to);
  const statuses = stays ? [] : pathBetween(item.status, to);
  if (statuses === undefined) throw new MoveRefused(item.status, to);
  const at = new Date(now).toISOString();
  // An earlier release may have stored it in the version before.
  const set = { v: item.v, ...change.set, status: to, updated_at: at };
  return update(
    'revision',
    revisionKeyOf(refOf(item)),
    {
      ...change,
      set,
      remove: [...new Set([...(change.remove ?? []), ...outdatedMessage(item, set)])],
      append: { ...change.append, history: statuses.map((status) => ({ status, at })) },
    },
    statusAsRead(item),
    sameRevision(item.id),
    ...when,
  );
}
