import { refuse } from '../../contract/errors.ts';
import type { CompleteRequest } from '../../contract/listener-protocol.ts';
import { findDeployment } from '../../store/deployments.ts';
import { equals, guard, present, update } from '../../store/expressions.ts';
import type { OpenTask } from '../../store/items.ts';
import { deletionKey, deploymentKey, due } from '../../store/keys.ts';
import { transact } from '../../store/operations.ts';
import { place, removePlacement } from '../../store/placements.ts';
import { endTask } from '../../store/tasks.ts';
import type { Deps } from '../deps.ts';

/** A listener that could not remove what runs is asked again after so long. */
const RETRY_MILLISECONDS = 60_000;

/** Records whether a listener has removed what it ran of a deployment; dispatch removes the records then. */
export async function completeDeletion(
  { table, clock }: Pick<Deps, 'table' | 'clock'>,
  task: OpenTask,
  { outcome }: Pick<CompleteRequest, 'outcome'>,
): Promise<{ accepted: boolean }> {
  const { tenant_id: tenantId, deployment_id: id } = task;
  const deployment = await findDeployment(table, tenantId, id);
  if (deployment === undefined) throw refuse('task_not_found', { id: task.id });
  const now = clock.now();
  const retryAt = now + RETRY_MILLISECONDS;
  const isDone = outcome === 'succeeded';
  const epoch = deployment.epoch + 1;
  const key = deploymentKey(tenantId, id);
  await transact(table, [
    ...endTask(task, outcome, true, now),
    update(
      'deployment',
      key,
      { set: { epoch, ...due(key.pk, isDone ? now : retryAt) }, remove: ['task_id'] },
      guard('epoch: as read', equals('epoch', deployment.epoch)),
      guard('task: still open', equals('task_id', task.id)),
    ),
    update(
      'deletion',
      deletionKey(tenantId, id),
      { set: isDone ? { torn_down: true } : { retry_at: retryAt } },
      guard('deletion: still there', present('pk')),
    ),
    ...(isDone
      ? removePlacement({ tenantId, listenerId: task.listener_id }, id)
      : place(deployment, undefined, epoch, false)),
  ]);
  return { accepted: true };
}
