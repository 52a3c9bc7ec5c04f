import { configFields, plainFields, type RunField, runFields } from '../../contract/deployments/fields.ts';
import { masked } from '../../contract/deployments/secrets.ts';
import type { DeploymentStatus } from '../../contract/revision-status.ts';
import { fieldsOrNull, revisionConfigViewOf } from '../../core/deployments/views.ts';
import type { Deps } from '../../core/deps.ts';
import { configurationOf, deploymentRefOf, findConfiguration } from '../../core/items/deployments.ts';
import type { Configuration, Deployment } from '../../core/items/items.ts';
import { findRevisionByNumber } from '../../core/items/revisions.ts';
import { isListenerOnline } from '../../core/online.ts';
import { answeringUrl } from '../../domain/agent-address.ts';
import { reasonWords } from '../../domain/runtime.ts';
import { isSameJson } from './configuration.ts';
import type { DeploymentView } from './shape.ts';

/**
 * UNKNOWN is judged now: what the listener last said of the active revision, and whether it still says
 * anything.
 */
export async function deploymentStatus(
  deps: Pick<Deps, 'table' | 'clock'>,
  { status, active, tenant_id: tenantId, listener_id: listenerId }: Deployment,
  online = isListenerOnline,
): Promise<DeploymentStatus> {
  if (status === 'AWAITING_DELETE') return 'AWAITING_DELETE';
  if (active === undefined) return 'UNUSED';
  return active.healthy && (await online(deps, tenantId, listenerId)) ? 'READY' : 'UNKNOWN';
}

export type ShownDeployment = DeploymentView & { config_version: number };

/** Reads what a response needs beside the deployment, and shows it. */
export async function showDeployment(
  deps: Pick<Deps, 'table' | 'clock'>,
  deployment: Deployment,
): Promise<ShownDeployment> {
  const [status, configuration] = await Promise.all([
    deploymentStatus(deps, deployment),
    activeConfiguration(deps, deployment),
  ]);
  return deploymentViewOf(deployment, status, configuration);
}

/** `configuration`: as `activeConfiguration` gives it. Threads are shown by whoever asks for them. */
export function deploymentViewOf(
  deployment: Deployment,
  status: DeploymentStatus,
  configuration: DeploymentView['active_configuration'],
): ShownDeployment {
  return {
    id: deployment.id,
    name: deployment.name,
    ...fieldsOrNull(deployment, plainFields),
    tenant_id: deployment.tenant_id,
    created_at: deployment.created_at,
    updated_at: deployment.updated_at,
    source: deployment.source,
    status,
    url: answeringUrl(deployment),
    source_config: sourceConfigViewOf(deployment),
    source_revision_config: revisionConfigViewOf(deployment.revision_config),
    secrets: masked(deployment.secret_names),
    secret_references: deployment.secret_references,
    latest_revision_id: deployment.latest_revision_id,
    active_revision_id: deployment.active?.revision_id ?? null,
    active_configuration: configuration,
    image_version: deployment.active?.image_version ?? null,
    is_managed_deep_agent: false,
    agent: deployment.agent ?? null,
    artifacts:
      deployment.artifacts === undefined
        ? null
        : { count: deployment.artifacts.count, size_bytes: deployment.artifacts.size_bytes },
    runtime_resolved: deployment.runtime?.resolved ?? null,
    runtime_reason: deployment.runtime === undefined ? null : reasonWords[deployment.runtime.reason],
    threads: null,
    config_version: deployment.config_version,
  };
}

function sourceConfigViewOf({
  config,
  active,
  listener_id,
  k8s_namespace,
}: Deployment): DeploymentView['source_config'] {
  return {
    ...fieldsOrNull(config, configFields),
    build_secrets: config.build_secrets === undefined ? null : masked(config.build_secrets.names),
    custom_url: config.custom_url ?? active?.url ?? null,
    listener_id,
    listener_config: k8s_namespace === undefined ? null : { k8s_namespace },
    push_source:
      config.build_on_push !== true ? null : config.integration_id === undefined ? 'none' : 'integration',
  };
}

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
    const ref = deploymentRefOf(deployment);
    const found = await findConfiguration(deps.table, ref, ran.configuration);
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
  const ref = deploymentRefOf(deployment);
  return findRevisionByNumber(table, ref, active.number);
}

const differing = (one: Configuration, other: Configuration): string[] =>
  compared.filter(([, field]) => !isSameJson(one[field], other[field])).map(([name]) => name);
