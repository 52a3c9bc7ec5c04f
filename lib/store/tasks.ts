import * as z from 'zod';
import { absent, equals, guard, put, remove, same } from './expressions.ts';
import { type OpenTask, openTask } from './items.ts';
import { doneTaskKey, type Key, openTaskKey, prefix } from './keys.ts';
import { find, queryPage, type Write } from './operations.ts';
import { startingWith } from './sort-key-range.ts';
import type { Table } from './table.ts';

/** A task that has ended, for whoever reports it once more. */
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

/** Some of a listener's open tasks, oldest first (task ids are UUIDv7); those behind them come with `startAfter`. */
export const openTaskPage = (
  table: Table,
  tenantId: string,
  listenerId: string,
  startAfter?: Key,
): Promise<{ items: OpenTask[]; lastKey: Key | undefined }> =>
  queryPage(table, openTask, {
    pk: openTaskKey(tenantId, listenerId, '').pk,
    between: startingWith(prefix.openTask),
    limit: TASKS_A_PAGE,
    ...(startAfter !== undefined && { startAfter }),
  });

/** A finished task answers a repeated `complete` for a week; a listener silent for longer goes by `desired`. */
const DONE_TASK_SECONDS = 7 * 24 * 3600;

/** The writes that end a task as it was read: it leaves the open ones and stays for a while as a done one. */
export function endTask(task: OpenTask, outcome: string, accepted: boolean, now: number): Write[] {
  const open = openTaskKey(task.tenant_id, task.listener_id, task.id);
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
    remove(
      'task',
      open,
      guard('lease: state as read', equals('state', task.state)),
      guard('lease: as read', same('lease_id', task.lease_id)),
    ),
    put('done_task', { ...done, ...item }, guard('creation: not there yet', absent('pk'))),
  ];
}
