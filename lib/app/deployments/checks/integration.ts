import { refuse } from '../../../contract/errors.ts';
import type { Deps } from '../../../core/deps.ts';
import { checkIntegration, findIntegration, INTEGRATION } from '../../../core/items/integrations.ts';
import type { Deployment, DeploymentConfig } from '../../../core/items/items.ts';
import type { ConditionsFailed, Write } from '../../../store/dynamodb/transact.ts';

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
