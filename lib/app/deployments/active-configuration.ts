import { isDeepStrictEqual } from 'node:util';
import { type RunField, runFields } from '../../contract/deployments/fields.ts';
import type { DeploymentView } from '../../contract/deployments/views.ts';
import type { Deps } from '../../core/deps.ts';
import { configurationOf } from '../../core/engine/transactions/deployments.ts';
import { findConfiguration } from '../../core/items/deployments.ts';
import type { Configuration, Deployment } from '../../core/items/items.ts';
import { findRevisionByNumber } from '../../core/items/revisions.ts';
import { plain } from './configuration/apply.ts';

type ActiveConfiguration = DeploymentView['active_configuration'];
type Versions = { configuration: number; secrets?: number | undefined };

/** What is compared, by the names that requests give it. Secrets are told apart by their version. */
const compared: readonly [name: string, field: keyof Configuration][] = [
  ...runFields.map((field): [string, RunField] => [`source_config.${field}`, field]),
  ['secret_references', 'secret_references'],
];

/**
 * Where what serves runs another configuration than the deployment has: after a rollback, and until the
 * newest revision is deployed. Null while nothing serves. Only where the versions differ is anything read.
 */
export async function activeConfiguration(
  deps: Pick<Deps, 'table'>,
  deployment: Deployment,
): Promise<ActiveConfiguration> {
  if (deployment.active === undefined || deployment.status === 'AWAITING_DELETE') return null;
  const ran = await versionsOf(deps, deployment, deployment.active);
  if (ran === undefined) return null;
  const fields = ran.secrets === deployment.secrets ? [] : ['secrets'];
  if (ran.configuration !== deployment.configuration) {
    const owner = { tenantId: deployment.tenant_id, deploymentId: deployment.id };
    const found = await findConfiguration(deps.table, owner, ran.configuration);
    // The deployment has just gone, and everything with it.
    if (found === undefined) return null;
    fields.push(...differing(found, configurationOf(deployment)));
  }
  return { differs: fields.length > 0, fields };
}

/**
 * An earlier release has not noted them with what serves, and ran the deployment's own in its latest
 * revision.
 */
async function versionsOf(
  { table }: Pick<Deps, 'table'>,
  deployment: Deployment,
  active: NonNullable<Deployment['active']>,
): Promise<Versions | undefined> {
  const { configuration, secrets } = active;
  if (configuration !== undefined) return { configuration, secrets };
  if (active.number === deployment.latest_number) return deployment;
  const owner = { tenantId: deployment.tenant_id, deploymentId: deployment.id };
  return findRevisionByNumber(table, owner, active.number);
}

const differing = (one: Configuration, other: Configuration): string[] =>
  compared
    .filter(([, field]) => !isDeepStrictEqual(plain(one[field]), plain(other[field])))
    .map(([name]) => name);
