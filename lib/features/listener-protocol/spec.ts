import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { ownAddress } from '../../contract/validation/text.ts';
import { auditHandOut } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import {
  deploymentRefOf,
  getConfiguration,
  getDeploymentItem,
  slotHolder,
} from '../../core/items/deployments.ts';
import type { Configuration, Deployment, Revision } from '../../core/items/items.ts';
import { getRevisionItem } from '../../core/items/revisions.ts';
import { openDeploymentSecrets } from '../../core/secrets.ts';
import { hasQueue, serverOf } from '../../domain/agent-server.ts';
import { resolveResourceSpec } from '../../domain/resource-spec.ts';
import { DEFAULT_CONFIG_PATH } from '../../domain/source.ts';
import type { getSpec as row } from './routes.ts';
import type { DeploySpec, FullDeploySpec } from './shape.ts';

type HandOutDeps = Pick<Deps, 'clock' | 'auditLog'>;
export type SpecDeps = Pick<Deps, 'table' | 'keys'> & { blobs: Pick<Deps['blobs'], 'downloadUrl'> };

/**
 * A listener downloads an artifact right after it gets the spec; this leaves time for 2 GiB on a slow
 * connection.
 */
const DOWNLOAD_URL_SECONDS = 900;

/**
 * All that a listener needs to run this revision of the deployment, secrets in plain included: for its
 * listener only.
 */
export async function specOf(
  deps: SpecDeps,
  deployment: Deployment,
  revision: Revision,
): Promise<FullDeploySpec> {
  const ref = deploymentRefOf(deployment);
  const [configuration, environment, artifact] = await Promise.all([
    getConfiguration(deps.table, ref, revision.configuration),
    openDeploymentSecrets(deps, ref, revision.secrets),
    artifactOf(deps, revision),
  ]);
  const { resource_spec: sent = {} } = configuration;
  const server = serverOf({ source: revision.source, server: revision.artifact?.server }, sent);
  return {
    deployment_id: deployment.id,
    deployment_name: deployment.name,
    tenant_id: deployment.tenant_id,
    revision_id: revision.id,
    epoch: deployment.epoch,
    artifact,
    graph_config_path: configPathOf(configuration, revision),
    environment,
    secret_references: configuration.secret_references,
    resource_spec: resolveResourceSpec(sent),
    k8s_namespace: deployment.k8s_namespace ?? null,
    custom_url: ownAddress(deployment.config.custom_url),
    server,
    queue: hasQueue(server, sent),
    drain_seconds: deployment.config.drain_seconds ?? null,
    commit_sha: revision.revision_config.repo_commit_sha ?? null,
    start_command: configuration.start_command ?? null,
    health_check: configuration.health_check ?? null,
    runtime: revision.runtime ?? null,
    on_release: deployment.config.on_release ?? null,
  };
}

/** From the root of the artifact, which is the whole source. */
const configPathOf = (
  { root_directory: root }: Configuration,
  { revision_config: { graph_config_path: path = DEFAULT_CONFIG_PATH } }: Revision,
): string => (root === undefined ? path : `${root}/${path}`);

async function artifactOf(deps: SpecDeps, revision: Revision): Promise<DeploySpec['artifact']> {
  const { artifact } = revision;
  if (artifact?.kind === 'folder') {
    const url = await deps.blobs.downloadUrl(artifact.key, DOWNLOAD_URL_SECONDS);
    return { kind: 'folder', url, sha256: artifact.sha256 };
  }
  const uri = artifact?.uri ?? revision.revision_config.image_uri;
  if (uri === undefined) throw new Error(`revision ${revision.id} has nothing to run`);
  const platforms = artifact?.platforms;
  return { kind: 'image', uri, ...(platforms !== undefined && { platforms }) };
}

/**
 * For a listener that restarted and keeps no secrets: the active revision's spec, else that of the one being
 * deployed. While neither is there, the deployment is none of the listener's yet, and once it is being
 * deleted no more: 404.
 */
export async function getSpec(
  deps: SpecDeps & HandOutDeps,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<DeploySpec> {
  const deployment = await getDeploymentItem(deps.table, caller.tenantId, params.deployment_id);
  const revisionId = deployment.active?.revision_id ?? slotHolder(deployment);
  const deleting = deployment.status === 'AWAITING_DELETE';
  if (deployment.listener_id !== params.listener_id || revisionId === undefined || deleting) {
    throw refuse('deployment_not_found', { id: params.deployment_id });
  }
  const ref = { tenantId: caller.tenantId, deploymentId: deployment.id, revisionId };
  const revision = await getRevisionItem(deps.table, ref);
  if (deployment.active === undefined && revision.task_id === undefined) {
    throw refuse('deployment_not_found', { id: params.deployment_id });
  }
  const spec = await specOf(deps, deployment, revision);
  auditSpec(deps, spec, caller);
  return spec;
}

/** A spec has secrets in plain: who was given one is audited. */
export const auditSpec = (
  deps: HandOutDeps,
  { deployment_id, revision_id }: Pick<DeploySpec, 'deployment_id' | 'revision_id'>,
  caller: Caller,
): void =>
  auditHandOut(deps, { action: 'revision_spec.read', deployment_id, subject_id: revision_id }, caller);
