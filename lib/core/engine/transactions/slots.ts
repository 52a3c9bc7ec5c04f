import type { DeploymentRef } from '../../../contract/refs.ts';
import { absent, equals, guard, update } from '../../../store/dynamodb/expressions.ts';
import type { Write } from '../../../store/dynamodb/transact.ts';
import { deploymentKey } from '../../../store/keys/index.ts';
import { waitingRow } from '../../items/deployment-rows.ts';
import type { Deployment, Slot } from '../../items/items.ts';
import { DUE, inFlightDue } from '../../items/looks.ts';
import { revise } from '../../items/revision-moves.ts';

const isFree = guard('slot: free', absent('slot'));

/**
 * Gives the slot to the oldest queued revision. Demands that the slot is free, that the revision is still
 * queued, and that the queue, which it is the first of, is as it was read: the reason why revisions never
 * overlap, and why the row's count of those that wait is right.
 */
export function takeSlotWrites(
  owner: DeploymentRef,
  deployment: Deployment,
  { id, number }: { id: string; number: number },
  now: number,
): Write[] {
  const slot: Slot = { kind: 'revision', revision_id: id, number, since: new Date(now).toISOString() };
  return [
    update(
      'deployment',
      deploymentKey(owner.tenantId, owner.deploymentId),
      { set: { slot }, remove: ['queued[0]', ...DUE] },
      isFree,
      guard('slot: head of the queue', equals('queued', deployment.queued)),
    ),
    revise(
      { ...owner, revisionId: id },
      { set: { attempt: 1, ...inFlightDue(owner, now) } },
      guard('slot: still queued', equals('status', 'QUEUED')),
    ),
    ...restWaits(deployment, number),
  ];
}

/**
 * Gives the slot to the deletion, which never gives it back: the deployment goes with it. Demands that the
 * deletion is asked for, that the slot is free and that nothing is queued.
 */
export function takeSlotToDeleteWrite(owner: DeploymentRef, now: number): Write {
  const slot: Slot = { kind: 'delete', since: new Date(now).toISOString() };
  return update(
    'deployment',
    deploymentKey(owner.tenantId, owner.deploymentId),
    { set: { slot } },
    isFree,
    guard('deletion: asked for', equals('status', 'AWAITING_DELETE')),
    guard('slot: nothing is queued', equals('queued', [])),
  );
}

/** A first revision waits for none, so its row says already how many wait behind it. */
const restWaits = (deployment: Deployment, number: number): Write[] =>
  number === 1 || deployment.status === 'AWAITING_DELETE'
    ? []
    : [waitingRow(deployment, Math.max(0, deployment.queued.length - 1))];
