import * as z from 'zod';
import type { RevisionRef } from '../../contract/refs.ts';
import {
  equals,
  guard,
  oneOf,
  putNew,
  remove,
  same,
  type Test,
  update,
} from '../../store/dynamodb/expressions.ts';
import { find, queryPage } from '../../store/dynamodb/reads.ts';
import { startingWith } from '../../store/dynamodb/sort-key-range.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { doneTaskKey, openTaskKey, openTaskKeyOf, prefix } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';
import { type ClaimedTask, type OpenDeployTask, type OpenTask, openTask } from './items.ts';
import { RING } from './listeners.ts';
import { leaseSecondsOf } from './managed.ts';

/** A task that has ended, kept for repeated reports. */
export const doneTask = z.object({
  tenant_id: z.string(),
  v: z.literal(1),
  entity: z.literal('done_task'),
  id: z.string(),
  deployment_id: z.string(),
  lease_id: z.string().optional(),
  outcome: z.string(),
  accepted: z.boolean(),
  ttl: z.number(),
});
export type DoneTask = z.infer<typeof doneTask>;

export const findOpenTask = (
  table: Table,
  tenantId: string,
  listenerId: string,
  taskId: string,
): Promise<OpenTask | undefined> => find(table, openTaskKey(tenantId, listenerId, taskId), openTask);

export const findDoneTask = (
  table: Table,
  tenantId: string,
  listenerId: string,
  taskId: string,
): Promise<DoneTask | undefined> => find(table, doneTaskKey(tenantId, listenerId, taskId), doneTask);

/** So many are read at a time: with what one claim may give, the price of the smallest read. */
const TASKS_A_PAGE = 10;

/**
 * Some of a listener's open tasks, oldest first (task ids are UUIDv7), from behind the task `after` on.
 * `lastId`: the last of them, if there may be more.
 */
export async function openTaskPage(
  table: Table,
  tenantId: string,
  listenerId: string,
  after?: string,
): Promise<{ items: OpenTask[]; lastId: string | undefined }> {
  const { items, lastKey } = await queryPage(table, openTask, {
    pk: openTaskKey(tenantId, listenerId, '').pk,
    between: startingWith(prefix.openTask),
    limit: TASKS_A_PAGE,
    ...(after !== undefined && { startAfter: openTaskKey(tenantId, listenerId, after) }),
  });
  return { items, lastId: lastKey?.sk.slice(prefix.openTask.length) };
}

/** The revision that a task is to deploy. */
export const revisionOf = (task: OpenDeployTask): RevisionRef => ({
  tenantId: task.tenant_id,
  deploymentId: task.deployment_id,
  revisionId: task.revision_id,
});

/** Offers a task, and rings for its listener. */
export const putTask = (task: OpenTask): Write =>
  putNew('task', { ...openTaskKeyOf(task), ...task, [RING]: task.state });

/**
 * Who works on a task, from `now` (epoch milliseconds) on, until it has said nothing for the length of a
 * lease.
 */
export type Lease = { leaseId: string; instanceId: string; now: number };

const isClaimed = guard('lease: claimed', equals('state', 'claimed'));

const leaseAsRead = (task: OpenTask): Test[] => [
  guard('lease: state as read', equals('state', task.state)),
  guard('lease: as read', same('lease_id', task.lease_id)),
];

const until = (task: OpenTask, now: number) => ({
  lease_until: now + leaseSecondsOf(task) * 1000,
  last_heartbeat_at: now,
});

/** Gives a task to an instance under a new lease. Demands that it was not claimed since it was read. */
export const claimTaskWrite = (task: OpenTask, { leaseId, instanceId, now }: Lease): Write =>
  update(
    'task',
    openTaskKeyOf(task),
    {
      set: { state: 'claimed', lease_id: leaseId, ...until(task, now), instance_id: instanceId },
      remove: [RING],
    },
    ...leaseAsRead(task),
  );

/**
 * Lengthens a lease, also one that ran out. Demands that it is still that one, and that the task was not
 * cancelled.
 */
export const renewLease = (task: OpenTask, now: number): Write =>
  update(
    'task',
    openTaskKeyOf(task),
    { set: { state: 'claimed', ...until(task, now) }, remove: [RING] },
    guard('lease: its own', equals('lease_id', task.lease_id)),
    guard('lease: not cancelled', oneOf('state', ['offered', 'claimed'])),
  );

/**
 * Gives a task that is to be stopped to another run of its holder, under a new lease: the run before hears of
 * it at its next heartbeat. Demands that it is as read.
 */
export const takeCancelled = (task: OpenTask, { leaseId, instanceId, now }: Lease): Write =>
  update(
    'task',
    openTaskKeyOf(task),
    { set: { lease_id: leaseId, ...until(task, now), instance_id: instanceId } },
    ...leaseAsRead(task),
  );

/** Offers a task again whose lease ran out. Demands that the lease was not renewed since it was read. */
export const offerTaskAgain = (task: ClaimedTask, epoch: number, now: number): Write =>
  update(
    'task',
    openTaskKeyOf(task),
    { set: { state: 'offered', epoch, offered_at: now, [RING]: 'offered' } },
    isClaimed,
    guard('lease: not renewed', equals('lease_until', task.lease_until)),
  );

/** Tells the listener that holds a task to stop. Demands that it is still held. */
export const cancelTaskWrite = (task: ClaimedTask): Write =>
  update('task', openTaskKeyOf(task), { set: { state: 'cancelled', [RING]: 'cancelled' } }, isClaimed);

/**
 * A finished task answers a repeated `complete` for a week; a listener silent for longer goes by `desired`.
 */
const DONE_TASK_SECONDS = 7 * 24 * 3600;

/** The writes that end a task as it was read: it leaves the open ones and stays for a while as a done one. */
export function endTask(task: OpenTask, outcome: string, accepted: boolean, now: number): Write[] {
  const done = doneTaskKey(task.tenant_id, task.listener_id, task.id);
  const item: DoneTask = {
    v: 1,
    entity: 'done_task',
    tenant_id: task.tenant_id,
    id: task.id,
    deployment_id: task.deployment_id,
    ...(task.lease_id !== undefined && { lease_id: task.lease_id }),
    outcome,
    accepted,
    ttl: Math.ceil(now / 1000) + DONE_TASK_SECONDS,
  };
  return [
    remove('task', openTaskKeyOf(task), ...leaseAsRead(task)),
    putNew('done_task', { ...done, ...item }),
  ];
}
