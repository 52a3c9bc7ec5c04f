import type { Deps } from '../../../core/deps.ts';
import { findDeployment } from '../../../core/items/deployments.ts';
import { findListener } from '../../../core/items/listeners.ts';

/**
 * When the deployment that has a taken name or host is being deleted: a sentence that says what its deletion
 * waits for.
 */
export async function describePendingDeletion(
  { table }: Pick<Deps, 'table'>,
  taken: { tenant_id: string; deployment_id: string } | undefined,
): Promise<string | undefined> {
  const deployment = taken && (await findDeployment(table, taken.tenant_id, taken.deployment_id));
  if (deployment?.status !== 'AWAITING_DELETE') return undefined;
  const { id, listener_id: listenerId, epoch } = deployment;
  if (epoch === 0) return `It is being deleted; try again in a moment.`;
  const listener = await findListener(table, deployment.tenant_id, listenerId);
  const name = listener?.compute_id ?? listenerId;
  return `Its deletion waits for listener ${name}; if that will not come back, DELETE /v2/deployments/${id}?force=true ends the waiting.`;
}
