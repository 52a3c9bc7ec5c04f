import { refuse } from '../../contract/errors.ts';
import type { Deps } from '../../core/deps.ts';
import type { OpenTask } from '../../core/items/items.ts';
import { findOpenTask } from '../../core/items/tasks.ts';

export type TaskParams = { listener_id: string; task_id: string };

/**
 * The open task under this lease. Throws `lease_taken` (another holds it) or `task_not_found` (it has ended
 * or never was).
 */
export async function heldTask(
  deps: Pick<Deps, 'table'>,
  tenantId: string,
  params: TaskParams,
  leaseId: string,
): Promise<OpenTask> {
  const task = await findOpenTask(deps.table, tenantId, params.listener_id, params.task_id);
  if (task === undefined) throw refuse('task_not_found', { id: params.task_id });
  if (task.lease_id !== leaseId) throw refuse('lease_taken', { id: task.id });
  return task;
}
