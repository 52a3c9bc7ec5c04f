import { isDeepStrictEqual } from 'node:util';
import { keptRuntime } from '../../../domain/runtime.ts';
import {
  absent,
  type Change,
  equals,
  guard,
  same,
  type Test,
  update,
} from '../../../store/dynamodb/expressions.ts';
import type { Write } from '../../../store/dynamodb/transact.ts';
import { deploymentKeyOf } from '../../../store/keys/index.ts';
import type {
  ClaimedTask,
  Deployment,
  OpenDeletionTask,
  OpenDeployTask,
  OpenTask,
  Revision,
} from '../../items/items.ts';
import { inFlightDue } from '../../items/looks.ts';
import type { RuntimeItem } from '../../items/parts.ts';
import { addressStays, place } from '../../items/placements.ts';
import { move, notInterrupted, revise, withoutOutcome } from '../../items/revision-moves.ts';
import { refOf } from '../../items/revisions.ts';
import { endTask, offerTaskAgain, putTask } from '../../items/tasks.ts';

// What changes when a task is offered, offered again or given up: the task, the deployment and what its
// listener should run. The epoch rises each time, so that what is still said of an earlier life of the task
// is refused.

/** A new task's id, and the time (epoch milliseconds) at which it is offered. */
export type Offer = { id: string; now: number };

const fieldsOf = (deployment: Deployment, { id, now }: Offer) =>
  ({
    v: 1,
    entity: 'task',
    tenant_id: deployment.tenant_id,
    id,
    listener_id: deployment.listener_id,
    deployment_id: deployment.id,
    epoch: deployment.epoch + 1,
    state: 'offered',
    offered_at: now,
  }) as const;

/**
 * Nobody has offered a task of the deployment since it was read, or ended one: a listener is never given an
 * older epoch.
 */
export const epochAsRead = ({ epoch }: Deployment): Test => guard('epoch: as read', equals('epoch', epoch));

/** Raises the epoch of a deployment. Demands that nobody has raised it since it was read. */
export const raiseEpoch = (deployment: Deployment, { set, ...change }: Change, ...when: Test[]): Write =>
  update(
    'deployment',
    deploymentKeyOf(deployment),
    { ...change, set: { epoch: deployment.epoch + 1, ...set } },
    epochAsRead(deployment),
    ...when,
  );

const noTaskOpen = guard('task: none is open', absent('task_id'));

/**
 * Offers the deploy of a revision to its listener. Demands that the revision waits for that and is not
 * interrupted, and that no other task of the deployment is open. `runtime`: what runs it, as far
 * as that is known.
 */
export function offerDeploy(
  deployment: Deployment,
  revision: Revision,
  offer: Offer,
  runtime: RuntimeItem | undefined,
): Write[] {
  const task: OpenDeployTask = { ...fieldsOf(deployment, offer), kind: 'DEPLOY', revision_id: revision.id };
  const ref = refOf(revision);
  const kept = runtime && keptRuntime(deployment.runtime, runtime);
  const isNew = kept !== undefined && !isDeepStrictEqual(kept, deployment.runtime);
  return [
    putTask(task),
    revise(
      ref,
      {
        set: {
          v: revision.v,
          task_id: task.id,
          ...(runtime !== undefined && { runtime: runtime.resolved }),
          ...inFlightDue(ref, offer.now),
        },
      },
      guard('transition: status as read', equals('status', 'AWAITING_DEPLOY')),
      guard('task: none was offered', absent('task_id')),
      notInterrupted,
    ),
    raiseEpoch(
      deployment,
      { set: { v: deployment.v, task_id: task.id, ...(isNew && { runtime: kept }) } },
      noTaskOpen,
      addressStays(deployment),
    ),
    ...place(deployment, deployment.active?.revision_id, task.epoch, true),
  ];
}

/**
 * Offers to the listener to remove what it runs of a deployment. Demands that the deletion has the slot, and
 * that no task is open.
 */
export function offerDeletionWrites(deployment: Deployment, offer: Offer): Write[] {
  const task: OpenDeletionTask = { ...fieldsOf(deployment, offer), kind: 'DELETE' };
  return [
    putTask(task),
    raiseEpoch(
      deployment,
      { set: { task_id: task.id } },
      guard('deletion: has the slot', equals('slot.kind', 'delete')),
      noTaskOpen,
    ),
    ...place(deployment, undefined, task.epoch, true),
  ];
}

/**
 * Offers a claimed task again, whose lease ran out. Demands that neither the lease nor the epoch has changed
 * since they were read.
 */
export const offerAgain = (deployment: Deployment, task: ClaimedTask, now: number): Write[] => [
  offerTaskAgain(task, deployment.epoch + 1, now),
  raiseEpoch(deployment, {}, addressStays(deployment)),
  ...place(deployment, wantedOf(deployment), deployment.epoch + 1, true),
];

/**
 * The same for the deploy of a revision, which is UNKNOWN until its listener says what it made of it. Demands
 * besides that the revision's status is as read, no outcome is recorded and no interrupt asked for.
 * `message`: what is known.
 */
export const offerDeployAgain = (
  deployment: Deployment,
  revision: Revision,
  task: ClaimedTask,
  { message, now }: { message: string; now: number },
): Write[] => [
  move(
    revision,
    'UNKNOWN',
    now,
    { set: { ...inFlightDue(refOf(revision), now), status_message: message }, remove: ['switching'] },
    withoutOutcome,
    notInterrupted,
  ),
  ...offerAgain(deployment, task, now),
];

/**
 * Ends a task that nobody needs or answers any more. Demands that the task, the deployment's epoch and its
 * open task are as they were read.
 */
export const releaseTaskWrites = (deployment: Deployment, task: OpenTask, now: number): Write[] => [
  ...endTask(task, 'released', false, now),
  ...forgetTask(deployment),
];

/**
 * The deployment without its open task: the epoch rises, and the listener may bring it to what is desired.
 */
export const forgetTask = (deployment: Deployment): Write[] => [
  raiseEpoch(
    deployment,
    { remove: ['task_id'] },
    guard('task: as read', same('task_id', deployment.task_id)),
    addressStays(deployment),
  ),
  ...place(deployment, wantedOf(deployment), deployment.epoch + 1, false),
];

/** What the listener should run while there is no task: of what is being removed nothing. */
const wantedOf = ({ slot, active }: Deployment): string | undefined =>
  slot?.kind === 'delete' ? undefined : active?.revision_id;
