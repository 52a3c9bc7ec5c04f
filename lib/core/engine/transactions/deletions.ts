import { isTerminal } from '../../../domain/transitions.ts';
import { countOneLess } from '../../../store/counts.ts';
import { absent, equals, guard, present, put, remove, update } from '../../../store/dynamodb/expressions.ts';
import type { Write } from '../../../store/dynamodb/transact.ts';
import {
  agentKey,
  deletedRowKey,
  deletionKey,
  deploymentKeyOf,
  deploymentRowKey,
  nameKey,
} from '../../../store/keys/index.ts';
import type { AuditMark } from '../../items/audit-events.ts';
import type { Deletion } from '../../items/deletions.ts';
import { rowOf } from '../../items/deployment-rows.ts';
import { deploymentRefOf, slotAsRead } from '../../items/deployments.ts';
import type { Deployment, Revision } from '../../items/items.ts';
import { DUE, dueAt } from '../../items/looks.ts';
import { place } from '../../items/placements.ts';
import { endWatch } from '../../items/push-watches.ts';
import { restOfQueue } from '../../items/queue.ts';
import { noteEnds } from '../../items/revision-ends.ts';
import { move } from '../../items/revision-moves.ts';
import { isTooLate, requestInterrupt } from './interrupts.ts';
import { epochAsRead } from './tasks.ts';

const askedFor = guard('deletion: asked for', equals('status', 'AWAITING_DELETE'));
const stillThere = guard('deletion: still there', present('pk'));

export type DeletionFacts = {
  deployment: Deployment;
  /** The revision in its slot. */
  slotRevision: Revision | undefined;
  /** The first revisions in its queue, as `firstQueued` gives them. */
  queued: Revision[];
  /** No dump of its database shall stay. */
  deletesData: boolean;
  audit: AuditMark;
  /** Epoch milliseconds. */
  now: number;
};

/**
 * Marks a deployment to be deleted: its queue ends, what is in progress is interrupted, and its row moves to
 * the list of what is being deleted. Demands that status, configuration, queue and slot are as read.
 */
export function requestDeletionWrites({
  deployment,
  slotRevision,
  queued,
  deletesData,
  audit,
  now,
}: DeletionFacts): Write[] {
  const { tenant_id: tenantId, id } = deployment;
  const deletion: Deletion = {
    v: 2,
    entity: 'deletion',
    tenant_id: tenantId,
    deployment_id: id,
    requested_at: new Date(now).toISOString(),
    ...(deletesData && { delete_data: true }),
  };
  const row = { ...rowOf(deployment), status: 'AWAITING_DELETE' };
  return [
    markedDeployment(deployment, slotRevision, now),
    put('deletion', { ...deletionKey(tenantId, id), ...deletion, audit }),
    remove('deployment_row', deploymentRowKey(tenantId, id)),
    put('deleted_row', { ...deletedRowKey(tenantId, id), ...row }),
    ...endWatch(deployment),
    ...stopped(slotRevision, now),
    ...endedByDeletion([...(slotRevision?.status === 'QUEUED' ? [slotRevision] : []), ...queued], now),
  ];
}

/** A revision that no step has begun with gives the slot back at once. */
function markedDeployment(deployment: Deployment, slotRevision: Revision | undefined, now: number): Write {
  return update(
    'deployment',
    deploymentKeyOf(deployment),
    {
      set: {
        status: 'AWAITING_DELETE',
        updated_at: new Date(now).toISOString(),
        queued: restOfQueue(deployment),
        ...dueAt(deploymentRefOf(deployment), now),
      },
      ...(slotRevision?.status === 'QUEUED' && { remove: ['slot'] }),
    },
    guard('deletion: as read', equals('status', deployment.status)),
    guard('request: version as read', equals('config_version', deployment.config_version)),
    guard('queue: as read', equals('queued', deployment.queued)),
    slotAsRead(deployment),
  );
}

/**
 * Asks for what a step has begun with to be stopped; what cannot be any more ends by itself, and the deletion
 * waits for that.
 */
function stopped(slotRevision: Revision | undefined, now: number): Write[] {
  if (slotRevision === undefined || slotRevision.status === 'QUEUED' || isTerminal(slotRevision.status))
    return [];
  const asked = slotRevision.interrupt_requested_at !== undefined;
  return asked || isTooLate(slotRevision) ? [] : [requestInterrupt(slotRevision, now)];
}

/** Ends revisions of a deployment that no step has begun with. */
const endedByDeletion = (items: Revision[], now: number): Write[] => [
  ...items.map((item) =>
    move(item, 'INTERRUPTED', now, {
      set: {
        status_message: 'Interrupted: deployment deleted.',
        interrupt_requested_at: new Date(now).toISOString(),
      },
      remove: [...DUE],
    }),
  ),
  ...noteEnds(items, 'INTERRUPTED'),
];

/**
 * Ends the first revisions in the queue of a deployment that is being deleted. Demands that the queue is as
 * read.
 */
export const endQueue = (deployment: Deployment, queued: Revision[], now: number): Write[] => [
  update(
    'deployment',
    deploymentKeyOf(deployment),
    { set: { queued: restOfQueue(deployment) } },
    askedFor,
    guard('queue: as read', equals('queued', deployment.queued)),
  ),
  ...endedByDeletion(queued, now),
];

/** No dump of its database shall stay after all. Demands that the deployment is being deleted. */
export const deleteDataToo = ({ tenant_id: tenantId, id }: Deployment, audit: AuditMark): Write =>
  update('deletion', deletionKey(tenantId, id), { set: { v: 2, delete_data: true, audit } }, stillThere);

/** A person no longer waits for the listener. Demands that the deployment is being deleted. */
export function forceDeletion(deployment: Deployment, audit: AuditMark, now: number): Write[] {
  const { tenant_id: tenantId, id } = deployment;
  return [
    update('deletion', deletionKey(tenantId, id), { set: { forced: true, audit } }, stillThere),
    update(
      'deployment',
      deploymentKeyOf(deployment),
      { set: dueAt(deploymentRefOf(deployment), now) },
      guard('deletion: the same deployment', equals('id', id)),
      askedFor,
    ),
  ];
}

/**
 * Makes sweep and dispatch go on with a deletion of which more is left. Demands that the deployment is still
 * there.
 */
export const continueDeletion = (deployment: Deployment, now: number): Write =>
  update(
    'deployment',
    deploymentKeyOf(deployment),
    { set: dueAt(deploymentRefOf(deployment), now) },
    guard('deletion: still there', equals('id', deployment.id)),
  );

/**
 * Removes a deployment beside which nothing lies any more, with its name, agent and row. Demands that the
 * deletion is asked for and has the slot, that no task is open, and that the epoch is as read. A listener
 * that did not say that nothing runs there any more is told to run nothing of it until it does: whoever
 * forced the deletion did not wait for it.
 */
export function removeDeployment(deployment: Deployment, deletion: Deletion | undefined): Write[] {
  const { tenant_id: tenantId, id, agent } = deployment;
  const deletesData = deletion?.delete_data === true;
  const isListenerOwing = deletion?.torn_down !== true && deployment.epoch > 0;
  return [
    remove(
      'deployment',
      deploymentKeyOf(deployment),
      askedFor,
      guard('deletion: has the slot', equals('slot.kind', 'delete')),
      guard('task: none is open', absent('task_id')),
      epochAsRead(deployment),
    ),
    remove('deletion', deletionKey(tenantId, id)),
    remove('deployment_row', deletedRowKey(tenantId, id)),
    remove('name', nameKey(tenantId, deployment.name)),
    countOneLess({ tenantId }, 'deployments'),
    ...(agent === undefined ? [] : [remove('agent', agentKey(tenantId, agent.agent_id, agent.environment))]),
    ...(isListenerOwing ? place(deployment, undefined, deployment.epoch + 1, false, { deletesData }) : []),
  ];
}
