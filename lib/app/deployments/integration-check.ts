import { refuse } from '../../contract/errors.ts';
import { checkIntegration, findIntegration, INTEGRATION } from '../../store/integrations.ts';
import type { Deployment, DeploymentConfig } from '../../store/items.ts';
import type { ConditionsFailed, Write } from '../../store/operations.ts';
import type { Deps } from '../deps.ts';

type Asked = Pick<DeploymentConfig, 'integration_id'>;

/** The integration that a new deployment names must be there, in the very transaction; another tenant's reads the same as none. */
export const takesIntegration = (tenantId: string, { integration_id: id }: Asked): Write[] =>
  id === undefined ? [] : [checkIntegration(tenantId, id)];

/** The refusal of a transaction that such a check has failed. */
export const integrationGone = (
  failed: ConditionsFailed['failed'],
  { integration_id: id }: Asked,
): Error | undefined =>
  failed.has(INTEGRATION) && id !== undefined ? refuse('integration_not_found', { id }) : undefined;

/**
 * The same for a change: throws when the integration is not there now, and gives the check for the transaction. Sending back the one that
 * is configured is no change, even when it was deleted meanwhile.
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
