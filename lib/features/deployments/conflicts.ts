import { type ApiError, refuse } from '../../contract/errors.ts';
import type { Deps } from '../../core/deps.ts';
import { findDeployment } from '../../core/items/deployments.ts';
import { claimInTheWay, hostOf } from '../../core/items/hosts.ts';
import { checkIntegration, findIntegration, INTEGRATION } from '../../core/items/integrations.ts';
import type { Deployment, DeploymentConfig } from '../../core/items/items.ts';
import { findListener } from '../../core/items/listeners.ts';
import type { ConditionsFailed, Write } from '../../store/dynamodb/transact.ts';

/**
 * The refusal of a transaction that failed because another deployment has the host; undefined when something
 * else did.
 */
export async function hostTaken(
  deps: Pick<Deps, 'table'>,
  failed: ConditionsFailed['failed'],
  claimant: Pick<Deployment, 'config'>,
): Promise<ApiError | undefined> {
  const taken = claimInTheWay(failed);
  const host = hostOf(claimant);
  if (taken === undefined || host === undefined) return undefined;
  return refuse('host_taken', {
    host,
    deploymentId: taken.deployment_id,
    pendingDeletion: await describePendingDeletion(deps, taken),
  });
}

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

type Asked = Pick<DeploymentConfig, 'integration_id'>;

/** The refusal of a transaction that the check of the integration it names has failed. */
export const integrationGone = (
  failed: ConditionsFailed['failed'],
  { integration_id: id }: Asked,
): Error | undefined =>
  failed.has(INTEGRATION) && id !== undefined ? refuse('integration_not_found', { id }) : undefined;

/**
 * For a change: throws when the integration is not there now, and gives the check for the transaction.
 * Sending back the one that is configured is no change, even when it was deleted meanwhile.
 */
export async function changesIntegration(
  { table }: Pick<Deps, 'table'>,
  { tenant_id: tenantId, config }: Deployment,
  asked: Asked,
): Promise<Write[]> {
  const { integration_id: id } = asked;
  if (id === undefined || id === config.integration_id) return [];
  if ((await findIntegration(table, tenantId, id)) === undefined)
    throw refuse('integration_not_found', { id });
  return [checkIntegration(tenantId, id)];
}
