import {
  absent,
  any,
  type Change,
  equals,
  guard,
  oneOf,
  present,
  update,
} from '../../../store/dynamodb/expressions.ts';
import type { Write } from '../../../store/dynamodb/transact.ts';
import { deletionKey, deploymentKey } from '../../../store/keys/index.ts';
import { deploymentRefOf } from '../../items/deployments.ts';
import type { Deployment, OpenDeletionTask, OpenDeployTask, Revision } from '../../items/items.ts';
import { dueAt } from '../../items/looks.ts';
import { LEASE_SECONDS } from '../../items/managed.ts';
import type { Outcome } from '../../items/parts.ts';
import { place, removePlacement } from '../../items/placements.ts';
import { move, notInterrupted, revise, withoutOutcome } from '../../items/revision-moves.ts';
import { claimTaskWrite, endTask, type Lease, renewLease, revisionOf } from '../../items/tasks.ts';
import { forgetTask, raiseEpoch } from './tasks.ts';

// What a listener's word on its tasks changes: that it takes one up, is still at it, and how it ended.

/** A listener that could not remove what runs is asked again after so long. */
const DELETION_RETRY_MILLISECONDS = 60_000;

const wanted = [notInterrupted, withoutOutcome];

/**
 * A listener takes up a deploy. Demands that the task and the revision are as they were read, and that the
 * revision is still wanted.
 */
export const claimDeploy = (task: OpenDeployTask, revision: Revision, lease: Lease): Write[] => [
  claimTaskWrite(task, lease),
  move(revision, 'DEPLOYING', lease.now, {}, ...wanted),
];

/**
 * A revision that cannot be handed to its listener fails. Demands that its status is as read and that it is
 * still wanted.
 */
export const failHandOver = (revision: Revision, message: string, now: number): Write => {
  const outcome: Outcome = { stage: 'deploy', result: 'failed', message };
  return move(revision, revision.status, now, { set: { outcome } }, ...wanted);
};

/**
 * A listener takes up a removal; sweep looks whether it keeps the lease. Demands that the task is as read and
 * the deployment's own.
 */
export function claimDeletion(task: OpenDeletionTask, lease: Lease): Write[] {
  const { tenant_id: tenantId, deployment_id: deploymentId } = task;
  return [
    claimTaskWrite(task, lease),
    update(
      'deployment',
      deploymentKey(tenantId, deploymentId),
      { set: dueAt({ tenantId, deploymentId }, lease.now + LEASE_SECONDS * 1000) },
      stillOpen(task),
    ),
  ];
}

const stillOpen = ({ id }: { id: string }) => guard('task: still open', equals('task_id', id));

/** `waitsFor`: what the deploy waits for; empty: for nothing any more; undefined: as before. */
type Beat = { waitsFor: string | undefined; now: number };

const waitChange = (waitsFor: string | undefined): Change =>
  waitsFor === '' ? { remove: ['status_message'] } : { set: { status_message: waitsFor } };

/**
 * The holder of a deploy says what it waits for. Demands its lease, and that the revision is still wanted.
 */
export const noteWait = (task: OpenDeployTask, { waitsFor, now }: Beat): Write[] => [
  renewLease(task, now),
  revise(revisionOf(task), waitChange(waitsFor), ...wanted),
];

/**
 * The holder of a deploy announces that it moves traffic. Demands its lease, and that the revision is still
 * wanted.
 */
export const announceSwitch = (task: OpenDeployTask, { waitsFor, now }: Beat): Write[] => {
  const { set, ...change } = waitChange(waitsFor);
  return [
    renewLease(task, now),
    revise(revisionOf(task), { ...change, set: { ...set, switching: true } }, ...wanted),
  ];
};

/**
 * A holder that was taken for lost goes on with its deploy. Demands its lease, and that the revision is still
 * wanted and as read.
 */
export const resumeDeploy = (
  task: OpenDeployTask,
  revision: Revision,
  { isSwitching, waitsFor, now }: Beat & { isSwitching: boolean },
): Write[] => {
  const { set, ...change } = waitChange(waitsFor);
  const more = isSwitching ? { switching: true } : {};
  return [
    renewLease(task, now),
    move(revision, 'DEPLOYING', now, { ...change, set: { ...set, ...more } }, ...wanted),
  ];
};

/**
 * A deploy ended. Demands that the task is as read and the deployment's own, and that its revision is being
 * deployed, has no outcome and was not interrupted in time. The listener leaves the deployment alone until
 * Finish has said what should run. `said`: its word for the outcome.
 */
export const completeDeploy = (
  task: OpenDeployTask,
  deployment: Deployment,
  { said, outcome, now }: { said: string; outcome: Outcome; now: number },
): Write[] => [
  ...endTask(task, said, true, now),
  revise(
    revisionOf(task),
    { set: { outcome } },
    withoutOutcome,
    guard('transition: being deployed', oneOf('status', ['DEPLOYING', 'UNKNOWN'])),
    guard('interrupt: none, or too late', any(absent('interrupt_requested_at'), present('switching'))),
  ),
  raiseEpoch(deployment, { remove: ['task_id'] }, stillOpen(task)),
];

/**
 * A deploy ended that is not wanted any more. Demands that the task is as read, and the deployment
 * (undefined: it has another task).
 */
export const dropDeploy = (
  task: OpenDeployTask,
  deployment: Deployment | undefined,
  { said, now }: { said: string; now: number },
): Write[] => [
  ...endTask(task, said, said === 'stopped', now),
  ...(deployment === undefined ? [] : forgetTask(deployment)),
];

/**
 * A removal ended. When it succeeded the engine removes the records, otherwise it asks again after a while.
 * Demands that the task is as read and the deployment's own, and that the deletion is still there.
 */
export function completeDeletion(
  task: OpenDeletionTask,
  deployment: Deployment,
  { said, now }: { said: string; now: number },
): Write[] {
  const owner = deploymentRefOf(deployment);
  const isDone = said === 'succeeded';
  const retryAt = now + DELETION_RETRY_MILLISECONDS;
  return [
    ...endTask(task, said, true, now),
    raiseEpoch(
      deployment,
      { set: dueAt(owner, isDone ? now : retryAt), remove: ['task_id'] },
      stillOpen(task),
    ),
    update(
      'deletion',
      deletionKey(owner.tenantId, owner.deploymentId),
      { set: isDone ? { torn_down: true } : { retry_at: retryAt } },
      guard('deletion: still there', present('pk')),
    ),
    ...(isDone
      ? removePlacement({ tenantId: owner.tenantId, listenerId: task.listener_id }, deployment.id)
      : place(deployment, undefined, deployment.epoch + 1, false)),
  ];
}
