import type { RevisionRef } from '../../../contract/refs.ts';
import { CONFIRM_AFTER_MILLISECONDS } from '../../../domain/confirmed.ts';
import { above, equals, guard, same, update } from '../../../store/dynamodb/expressions.ts';
import type { Write } from '../../../store/dynamodb/transact.ts';
import { deploymentKeyOf, revisionKeyOf } from '../../../store/keys/index.ts';
import { deploymentRefOf } from '../../items/deployments.ts';
import type { Deployment, OpenTask, Revision } from '../../items/items.ts';
import { DUE, dueAt, inFlightDue } from '../../items/looks.ts';
import { isManaged } from '../../items/managed.ts';
import { revise, sameRevision, statusAsRead } from '../../items/revision-moves.ts';
import { refOf } from '../../items/revisions.ts';

// When sweep looks again at what nothing else may wake.

/**
 * Only its listener brings a deletion forward that is offered to it, and its claim makes the deployment due:
 * until then a look is for lost events alone, and may have to be repeated for as long as a listener is away.
 */
const OFFERED_DELETION_LOOK_MILLISECONDS = 15 * 60_000;

/** What the installation runs itself is looked after that often, though nothing of it is in flight. */
const MANAGED_LOOK_MILLISECONDS = 15 * 60_000;

const notAskedFor = ({ due_at }: { due_at?: number | undefined }) =>
  guard('look: nobody asked for one', same('due_at', due_at));

/** What a look has found that the next must find again to be believed; undefined: it did not find it. */
export type FoundOnce = Pick<Revision, 'execution_absent_since' | 'build_absent_since' | 'silence_found'>;
const foundOnce = ['execution_absent_since', 'build_absent_since', 'silence_found'] as const;

/**
 * Puts off the next look at the revision in the slot, and keeps what this one has found, which the next has
 * to confirm soon. Demands that nobody asked for a look meanwhile.
 */
export function lookAtRevisionLater(revision: Revision, found: FoundOnce, now: number): Write {
  const ref = refOf(revision);
  const isToConfirm = foundOnce.some((name) => found[name] !== undefined);
  const next = isToConfirm ? dueAt(ref, now + CONFIRM_AFTER_MILLISECONDS) : inFlightDue(ref, now);
  return revise(
    ref,
    {
      set: { ...found, ...next },
      remove: foundOnce.filter((name) => found[name] === undefined && revision[name] !== undefined),
    },
    statusAsRead(revision),
    notAskedFor(revision),
  );
}

/**
 * Puts off the next look at a deployment without a revision in its slot, or ends the looking when nothing of
 * it is in flight. Demands that it is as it was read, and that nobody asked for a look meanwhile. Undefined
 * where nothing is in flight and no look is due.
 */
export function lookAtDeploymentLater(
  deployment: Deployment,
  task: OpenTask | undefined,
  now: number,
): Write | undefined {
  const owner = deploymentRefOf(deployment);
  const deleting = deployment.slot?.kind === 'delete';
  const idle = deployment.queued.length === 0 && task === undefined && !deleting;
  const managed = isManaged(deployment);
  const keeps = managed && (deployment.active !== undefined || deployment.due_at !== undefined);
  if (idle && deployment.due_at === undefined && !keeps) return undefined;
  if (idle) return setLook(deployment, keeps ? dueAt(owner, now + MANAGED_LOOK_MILLISECONDS) : undefined);
  const waits = deleting && task?.state === 'offered' && !managed;
  return setLook(
    deployment,
    waits ? dueAt(owner, now + OFFERED_DELETION_LOOK_MILLISECONDS) : inFlightDue(owner, now),
  );
}

/**
 * Makes sweep look at managed compute at `at` (epoch milliseconds), as its driver knows best; undefined: not
 * any more, for nothing of it runs or shall run. Demands what the look that is due does.
 */
export const lookAtManaged = (deployment: Deployment, at: number | undefined): Write =>
  setLook(deployment, at === undefined ? undefined : dueAt(deploymentRefOf(deployment), at));

const setLook = (deployment: Deployment, next: ReturnType<typeof dueAt> | undefined): Write =>
  update(
    'deployment',
    deploymentKeyOf(deployment),
    next === undefined ? { remove: [...DUE] } : { set: next },
    guard('look: slot as read', same('slot.kind', deployment.slot?.kind)),
    guard('look: task as read', same('task_id', deployment.task_id)),
    guard('look: queue as read', equals('queued', deployment.queued)),
    notAskedFor(deployment),
  );

/**
 * Makes sweep look at a revision now. Demands that it is in flight and not overdue already: what is overdue
 * longest comes first.
 */
export const lookNow = (ref: RevisionRef, now: number): Write =>
  revise(ref, { set: { due_at: now } }, guard('look: due later', above('due_at', now)));

/**
 * Sweep looks once more at a revision that has ended: its build may still run, or is not known (yet). Demands
 * that it is as read.
 */
export function lookAtEndedAgain(item: Revision, isAbsent: boolean, now: number): Write {
  const next = inFlightDue(refOf(item), now);
  const since = item.build_absent_since ?? now;
  return update(
    'revision',
    revisionKeyOf(refOf(item)),
    isAbsent
      ? { set: { ...next, build_absent_since: since } }
      : { set: next, remove: ['build_absent_since'] },
    sameRevision(item.id),
    statusAsRead(item),
  );
}

/** Sweep need not look at a revision any more that has ended. Demands that it is as read. */
export const endLooks = (item: Revision): Write =>
  update(
    'revision',
    revisionKeyOf(refOf(item)),
    { remove: [...DUE, 'build_absent_since'] },
    sameRevision(item.id),
    statusAsRead(item),
  );
