import { configFields, plainFields } from '../../contract/deployments/fields.ts';
import { SECRET_MASK } from '../../contract/deployments/secrets.ts';
import type { DeploymentView, SourceRevisionConfigView } from '../../contract/deployments/views.ts';
import type { DeploymentStatus } from '../../contract/revision-status.ts';
import type { Deps } from '../../core/deps.ts';
import type { Deployment, RevisionConfig } from '../../core/items/items.ts';
import { isListenerOnline } from '../../core/online.ts';
import { answeringUrl } from '../../domain/agent-address.ts';
import { activeConfiguration } from './active-configuration.ts';

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
  return toDeploymentView(deployment, status, configuration);
}

/** `configuration`: as `activeConfiguration` gives it. */
export function toDeploymentView(
  deployment: Deployment,
  status: DeploymentStatus,
  configuration: DeploymentView['active_configuration'],
): ShownDeployment {
  return {
    id: deployment.id,
    name: deployment.name,
    ...orNull(deployment, plainFields),
    tenant_id: deployment.tenant_id,
    created_at: deployment.created_at,
    updated_at: deployment.updated_at,
    source: deployment.source,
    status,
    url: answeringUrl(deployment),
    source_config: sourceConfigView(deployment),
    source_revision_config: revisionConfigView(deployment.revision_config),
    secrets: deployment.secret_names.map((name) => ({ name, value: SECRET_MASK })),
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
    config_version: deployment.config_version,
  };
}

/** These fields as responses show them: null where there is nothing. */
export const orNull = <F extends string, T extends { [K in F]?: unknown }>(of: T, fields: readonly F[]) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fromEntries forgets which key has which type
  Object.fromEntries(fields.map((field) => [field, of[field] ?? null])) as {
    [K in F]: Exclude<T[K], undefined> | null;
  };

function sourceConfigView({
  config,
  active,
  listener_id,
  k8s_namespace,
}: Deployment): DeploymentView['source_config'] {
  return {
    ...orNull(config, configFields),
    custom_url: config.custom_url ?? active?.url ?? null,
    listener_id,
    listener_config: k8s_namespace === undefined ? null : { k8s_namespace },
    push_source:
      config.build_on_push !== true ? null : config.integration_id === undefined ? 'none' : 'integration',
  };
}

export function revisionConfigView(config: RevisionConfig): SourceRevisionConfigView {
  return {
    repo_ref: config.repo_ref ?? null,
    graph_config_path: config.graph_config_path ?? null,
    langgraph_config_path: config.graph_config_path ?? null,
    image_uri: config.image_uri ?? null,
    source_tarball_path: config.source_tarball_path ?? null,
    repo_commit_sha: config.repo_commit_sha ?? null,
  };
}
