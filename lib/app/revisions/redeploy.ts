import { refuse } from '../../contract/errors.ts';
import type { redeployRevision as row } from '../../contract/routes/revisions.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { isTerminal } from '../../domain/transitions.ts';
import { retryRaces, transact } from '../../store/dynamodb/transact.ts';
import { getConfiguration, getDeploymentItem } from '../../store/engine/deployments.ts';
import type { Configuration, Deployment, Revision } from '../../store/engine/items.ts';
import { getRevisionItem } from '../../store/engine/revisions.ts';
import { changeDeployment } from '../../store/engine/transactions/deployments.ts';
import { auditOf, reasonOf } from '../audit.ts';
import type { Caller } from '../caller.ts';
import { checkMatch, checkOpen, checkQueue } from '../deployments/checks/deployment.ts';
import { type ShownDeployment, showDeployment } from '../deployments/view.ts';
import type { Deps } from '../deps.ts';
import { newRevision, nextRevision } from './new-revision.ts';

type Asked = RouteInput<typeof row>;
type Input = Pick<Asked, 'params' | 'query' | 'headers'> & Partial<Pick<Asked, 'body'>>;

/**
 * Queues a revision that runs exactly what an earlier one ran: the same artifact, configuration and secrets
 * (`?secrets=current`: today's). The copied snapshot becomes the deployment's configuration.
 */
export async function redeployRevision(
  deps: Pick<Deps, 'table' | 'clock' | 'idempotency'>,
  { params, query, body, headers }: Input,
  caller: Caller,
): Promise<ShownDeployment> {
  const owner = { tenantId: caller.tenantId, deploymentId: params.deployment_id };
  return retryRaces(deps.table, async () => {
    const before = await getDeploymentItem(deps.table, owner.tenantId, owner.deploymentId);
    const old = await getRevisionItem(deps.table, { ...owner, revisionId: params.revision_id });
    checkOpen(before);
    checkQueue(before);
    checkMatch(before, headers.ifMatch);
    checkRunnable(old);
    const snapshot = await getConfiguration(deps.table, owner, old.configuration);
    const after = restored(deps, before, old, snapshot, query.secrets === 'current');
    const reason = body?.reason?.trim() ?? '';
    const revision: Revision = {
      ...newRevision(deps, after, caller, { skipped: undefined, inherits: false, artifact: old.artifact }),
      ...(old.commit !== undefined && { commit: old.commit }),
      cause: { kind: 'redeploy', revision_id: old.id, ...(reason !== '' && { reason }) },
    };
    const shown = await showDeployment(deps, after);
    const audit = auditOf(deps, caller, 'revision.redeploy', reasonOf(body));
    const changes = { before, after, revision, sealed: undefined, audit, now: deps.clock.now() };
    await transact(deps.table, [...changeDeployment(changes), ...deps.idempotency.record(shown)]);
    return shown;
  });
}

function checkRunnable(old: Revision): void {
  const { repo_commit_sha: commit, image_uri: image, source_tarball_path: tarball } = old.revision_config;
  const runnable = [old.artifact, commit, image, tarball].some((source) => source !== undefined);
  if (!runnable || !isTerminal(old.status))
    throw refuse('nothing_to_run', { id: old.id, status: old.status });
}

function restored(
  deps: Pick<Deps, 'clock'>,
  before: Deployment,
  old: Revision,
  snapshot: Configuration,
  currentSecrets: boolean,
): Deployment {
  const next = nextRevision(deps, before.latest_number);
  const version = before.config_version + 1;
  const after: Deployment = {
    ...before,
    updated_at: new Date(deps.clock.now()).toISOString(),
    config: restoredConfig(before, snapshot),
    revision_source: old.source,
    revision_config: old.revision_config,
    secret_references: snapshot.secret_references,
    config_version: version,
    configuration: version,
    latest_number: next.number,
    latest_revision_id: next.id,
  };
  if (currentSecrets) return after;
  const { secrets: _, ...rest } = after;
  return {
    ...rest,
    secret_names: snapshot.secret_names,
    ...(old.secrets !== undefined && { secrets: old.secrets }),
  };
}

function restoredConfig({ config }: Deployment, snapshot: Configuration): Deployment['config'] {
  const { repo_url: _, install_command: __, build_command: ___, resource_spec: ____, ...kept } = config;
  return {
    ...kept,
    ...(snapshot.repo_url !== undefined && { repo_url: snapshot.repo_url }),
    ...(snapshot.install_command !== undefined && { install_command: snapshot.install_command }),
    ...(snapshot.build_command !== undefined && { build_command: snapshot.build_command }),
    ...(snapshot.resource_spec !== undefined && { resource_spec: snapshot.resource_spec }),
  };
}
