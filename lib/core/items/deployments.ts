import { type RunField, runFields } from '../../contract/deployments/fields.ts';
import { refuse } from '../../contract/errors.ts';
import type { DeploymentRef } from '../../contract/refs.ts';
import { check, equals, guard, present, same, type Test } from '../../store/dynamodb/expressions.ts';
import { find } from '../../store/dynamodb/reads.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { buildSecretsKey, configurationKey, deploymentKey, secretsKey } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';
import { anyConfiguration, anyDeployment } from './any-version.ts';
import {
  buildSecretsVersion,
  CONFIGURATION_VERSION,
  type Configuration,
  type Deployment,
  type DeploymentConfig,
  secretsVersion,
} from './items.ts';

/** Names a deployment by its item. */
export const deploymentRefOf = ({
  tenant_id: tenantId,
  id: deploymentId,
}: Pick<Deployment, 'tenant_id' | 'id'>): DeploymentRef => ({ tenantId, deploymentId });

export const findDeployment = (
  table: Table,
  tenantId: string,
  deploymentId: string,
): Promise<Deployment | undefined> => find(table, deploymentKey(tenantId, deploymentId), anyDeployment);

/** Throws `deployment_not_found`; another tenant's reads the same as one that is not there. */
export async function getDeploymentItem(
  table: Table,
  tenantId: string,
  deploymentId: string,
): Promise<Deployment> {
  const found = await findDeployment(table, tenantId, deploymentId);
  if (found === undefined) throw refuse('deployment_not_found', { id: deploymentId });
  return found;
}

/** Changes nothing; demands that the deployment is there. */
export const checkDeployment = (tenantId: string, deploymentId: string): Write =>
  check(`deployment ${deploymentId}`, deploymentKey(tenantId, deploymentId), present('pk'));

/** What revisions snapshot of a deployment's configuration, by the version that it names. */
export function configurationOf(deployment: Deployment): Configuration {
  const ran: Pick<DeploymentConfig, RunField> = {};
  for (const field of runFields) {
    const value = deployment.config[field];
    if (value !== undefined) Object.assign(ran, { [field]: value });
  }
  return {
    v: CONFIGURATION_VERSION,
    entity: 'configuration',
    tenant_id: deployment.tenant_id,
    version: deployment.configuration,
    ...ran,
    secret_references: deployment.secret_references,
    secret_names: deployment.secret_names,
  };
}

/**
 * The configuration of this version; versions are immutable, written with what refers to them, and go with
 * the deployment.
 */
export const findConfiguration = (
  table: Table,
  { tenantId, deploymentId }: DeploymentRef,
  version: number,
): Promise<Configuration | undefined> =>
  find(table, configurationKey(tenantId, deploymentId, version), anyConfiguration);

/** Gets what `findConfiguration` finds; throws `deployment_not_found` when it went with the deployment. */
export async function getConfiguration(
  table: Table,
  ref: DeploymentRef,
  version: number,
): Promise<Configuration> {
  const found = await findConfiguration(table, ref, version);
  if (found === undefined) {
    const { status } = await getDeploymentItem(table, ref.tenantId, ref.deploymentId);
    if (status === 'AWAITING_DELETE') throw refuse('deployment_not_found', { id: ref.deploymentId });
    throw new Error(`version ${version} of its configuration is referred to but not stored`);
  }
  return found;
}

/** Which secrets of a deployment: those of its servers, or those of its builds. */
export type SecretsOf = 'servers' | 'builds';

/** The ciphertext of this version of the secrets. */
export async function getSealedSecrets(
  table: Table,
  ref: DeploymentRef,
  of: SecretsOf,
  version: number,
): Promise<string> {
  const { tenantId, deploymentId } = ref;
  const found =
    of === 'servers'
      ? await find(table, secretsKey(tenantId, deploymentId, version), secretsVersion)
      : await find(table, buildSecretsKey(tenantId, deploymentId, version), buildSecretsVersion);
  if (found === undefined)
    throw new Error(`version ${version} of the secrets of its ${of} is referred to but not stored`);
  return found.sealed;
}

/** The revision that holds the slot of a deployment. */
export const slotHolder = ({ slot }: Pick<Deployment, 'slot'>): string | undefined =>
  slot?.kind === 'revision' ? slot.revision_id : undefined;

/** Demands that the slot is held as it was when it was read, or still free. */
export const slotAsRead = ({ slot }: Pick<Deployment, 'slot'>): Test =>
  guard(
    'slot: holder as read',
    slot?.kind === 'delete' ? equals('slot.kind', 'delete') : same('slot.revision_id', slot?.revision_id),
  );
