import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import { checkMatch, checkOpen, checkQueue, checkWaiting } from '../../core/deployments/checks.ts';
import { newRevision, nextRevision } from '../../core/deployments/new-revision.ts';
import { maskedReason } from '../../core/deployments/reason.ts';
import type { Deps } from '../../core/deps.ts';
import { changeDeployment } from '../../core/engine/transactions/deployments.ts';
import { configurationOf, getConfiguration, getDeploymentItem } from '../../core/items/deployments.ts';
import type { Configuration, Deployment, Revision } from '../../core/items/items.ts';
import { getRevisionItem } from '../../core/items/revisions.ts';
import { secretVersionsOf } from '../../core/secrets.ts';
import { isTerminal } from '../../domain/transitions.ts';
import { retryRaces, transact } from '../../store/dynamodb/transact.ts';
import type { redeployRevision as row } from '../revisions/routes.ts';
import { isSameJson } from './configuration.ts';
import { runtimeAgain } from './runtime-checks.ts';
import { type ShownDeployment, showDeployment } from './view.ts';

type Asked = RouteInput<typeof row>;
/** It stores no secret anew. */
const NOTHING_SEALED = { secrets: undefined, buildSecrets: undefined };

type Input = Pick<Asked, 'params' | 'query' | 'headers'> & Partial<Pick<Asked, 'body'>>;

/**
 * Queues a revision that runs exactly what an earlier one ran: the same artifact, configuration and secrets
 * (`?secrets=current`: secrets and references of today). Its source becomes the deployment's; all else of the
 * deployment stays what the newest request asked for, so that no later revision brings an old secret back.
 */
export async function redeployRevision(
  deps: Pick<Deps, 'table' | 'clock' | 'idempotency' | 'settings' | 'keys'>,
  { params, query, body, headers }: Input,
  caller: Caller,
): Promise<ShownDeployment> {
  const ref = { tenantId: caller.tenantId, deploymentId: params.deployment_id };
  return retryRaces(deps.table, async () => {
    const before = await getDeploymentItem(deps.table, ref.tenantId, ref.deploymentId);
    const old = await getRevisionItem(deps.table, { ...ref, revisionId: params.revision_id });
    checkOpen(before);
    checkQueue(before);
    checkMatch(before, headers.ifMatch);
    await checkWaiting(deps, before);
    checkRunnable(old);
    const snapshot = await getConfiguration(deps.table, ref, old.configuration);
    const runtime = await runtimeAgain(deps, { before, old, snapshot }, body?.accept_new_state);
    const currentSecrets = query.secrets === 'current';
    const settled = withSourceOf(deps, before, old, snapshot);
    const wanted = currentSecrets ? withSecretsOf(snapshot, before) : snapshot;
    const { own, runs, fresh } = versioned({ before, snapshot }, configurationOf(settled), wanted);
    const after = {
      ...settled,
      configuration: own,
      config_version: before.config_version + Math.max(1, fresh.length),
    };
    const why = await maskedReason(deps, ref, [old, secretVersionsOf(before)], body);
    const revision: Revision = {
      ...newRevision(
        deps,
        after,
        {
          skipped: undefined,
          inherits: false,
          artifact: old.artifact,
          runs: {
            configuration: runs,
            secrets: currentSecrets ? before.secrets : old.secrets,
            build_secrets: wanted.build_secrets?.version,
          },
        },
        caller,
      ),
      ...(old.commit !== undefined && { commit: old.commit }),
      ...(runtime !== undefined && { runtime }),
      cause: { kind: 'redeploy', revision_id: old.id, ...why },
    };
    const shown = await showDeployment(deps, after);
    const audit = auditMarkOf(deps, { action: 'revision.redeploy', details: why }, caller);
    const now = deps.clock.now();
    const changes = { before, after, revision, configurations: fresh, sealed: NOTHING_SEALED, audit, now };
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

/** The deployment with the source of an earlier revision. */
function withSourceOf(
  deps: Pick<Deps, 'clock'>,
  before: Deployment,
  old: Revision,
  { repo_url: repoUrl, root_directory: root }: Configuration,
): Deployment {
  const next = nextRevision(deps, before.latest_number);
  const { repo_url: _, root_directory: __, ...config } = before.config;
  return {
    ...before,
    updated_at: new Date(deps.clock.now()).toISOString(),
    config: {
      ...config,
      ...(repoUrl !== undefined && { repo_url: repoUrl }),
      // What is deployed after this inherits what was built of that folder.
      ...(root !== undefined && { root_directory: root }),
    },
    revision_source: old.source,
    revision_config: old.revision_config,
    latest_number: next.number,
    latest_revision_id: next.id,
  };
}

const withSecretsOf = (
  snapshot: Configuration,
  { secret_names, secret_references, config: { build_secrets } }: Deployment,
): Configuration => ({ ...snapshot, secret_names, secret_references, build_secrets });

/** Whether two versions hold the same. */
const holdsSame = (one: Configuration, other: Configuration): boolean =>
  isSameJson({ ...one, version: 0 }, { ...other, version: 0 });

/**
 * A version each for the deployment's own configuration and for the one that the revision runs: a stored one
 * that holds the same, else a new one. `fresh`: the new ones.
 */
function versioned(
  { before, snapshot }: { before: Deployment; snapshot: Configuration },
  own: Configuration,
  runs: Configuration,
): { own: number; runs: number; fresh: Configuration[] } {
  const fresh: Configuration[] = [];
  const versionOf = (wanted: Configuration): number => {
    const known = [configurationOf(before), snapshot, ...fresh].find((one) => holdsSame(one, wanted));
    if (known !== undefined) return known.version;
    const version = before.config_version + fresh.length + 1;
    fresh.push({ ...wanted, version });
    return version;
  };
  return { own: versionOf(own), runs: versionOf(runs), fresh };
}
