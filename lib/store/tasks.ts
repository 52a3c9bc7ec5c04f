import * as z from 'zod';
import { lazy } from '../contract/lazy.ts';
import { absent, equals, guard, put, remove, same } from './expressions.ts';
import { type OpenTask, openTask } from './items.ts';
import { doneTaskKey, openTaskKey, prefix } from './keys.ts';
import { find, queryAll, type Write } from './operations.ts';
import { startingWith } from './sort-key-range.ts';
import type { Table } from './table.ts';

/** A task that has ended, for whoever reports it once more. */
export const doneTask = lazy(() =>
  z.object({
    tenant_id: z.string(),
    v: z.literal(1),
    entity: z.literal('done_task'),
    id: z.string(),
    deployment_id: z.string(),
    lease_id: z.string().optional(),
    outcome: z.string(),
    accepted: z.boolean(),
    ttl: z.number(),
  }),
);
export type DoneTask = z.infer<ReturnType<typeof doneTask>>;

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

/** A listener's open tasks, oldest first (task ids are UUIDv7). */
export const openTasks = (table: Table, tenantId: string, listenerId: string): AsyncGenerator<OpenTask> =>
  queryAll(table, openTask, {
    pk: openTaskKey(tenantId, listenerId, '').pk,
    between: startingWith(prefix.openTask),
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
