import { type BuildJob, type BuildSource, BuildsAtCapacity, CannotBuildFor } from '../../adapters/builds.ts';
import { computeKinds } from '../../compute/kinds.ts';
import { pinnedKeyOf, uploadIdOf } from '../../domain/file-places.ts';
import { cannotBuild, platformsOf } from '../../domain/platforms.ts';
import { DEFAULT_CONFIG_PATH, sourceKinds } from '../../domain/source.ts';
import { stageOf } from '../../domain/transitions.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import type { Deps } from '../deps.ts';
import { durableWishOf } from '../engine/runtime.ts';
import { recordBuildFact } from '../engine/transactions/outcomes.ts';
import { awaitBuild, keepBuildId, noteCapacity, type TokenTask } from '../engine/transactions/steps.ts';
import { gitCredentialsOf } from '../git-credentials.ts';
import { findDeployment, getConfiguration } from '../items/deployments.ts';
import type { Configuration, Deployment, Listener, Revision } from '../items/items.ts';
import { findListener } from '../items/listeners.ts';
import { attemptOf, findRevision } from '../items/revisions.ts';
import { findUpload } from '../items/uploads.ts';
import { openBuildSecrets, secretValues } from '../secrets.ts';
import { buildNameOf, holdBuildPlace } from './build-place.ts';
import { StepRefused } from './prepare.ts';
import { type NeedsDeps, needsOf } from './server-needs.ts';

type BuildDeps = Pick<Deps, 'clock' | 'builds' | 'settings'> & NeedsDeps;

/**
 * The Build state: keeps the token, starts the build once (its name is its idempotency token), keeps the
 * build's id. A build of an earlier attempt is kept. When the outcome is recorded already, dispatch answers
 * the token that was just stored.
 */
export async function buildRevision(deps: BuildDeps, task: TokenTask): Promise<void> {
  const revision = await findRevision(deps.table, task);
  const deployment = await findDeployment(deps.table, task.tenantId, task.deploymentId);
  if (revision === undefined || deployment === undefined) throw new StepRefused('Build', task);
  await storeBuildToken(deps, task, revision);
  if (revision.outcome !== undefined || revision.build_id !== undefined) return;
  const listener = await findListener(deps.table, task.tenantId, deployment.listener_id);
  const job = await jobOf(deps, task, { deployment, revision, listener });
  try {
    await holdBuildPlace(deps, task, revision);
    const { buildId } = await deps.builds.start(job);
    await storeBuildId(deps, task, buildId, revision);
  } catch (error) {
    if (error instanceof BuildsAtCapacity) await waitForCapacity(deps, task, error.message);
    if (error instanceof CannotBuildFor && listener !== undefined)
      return endUnbuilt(deps, revision, cannotBuild(listener, error.able));
    throw error;
  }
}

/**
 * Until the next try nothing waits for a token: the wait is noted, so that a person sees it and an interrupt
 * ends it directly.
 */
async function waitForCapacity({ table }: BuildDeps, task: TokenTask, reason: string): Promise<void> {
  const message = `Waits until a build can start: ${reason}`;
  await transact(table, noteCapacity(task, message)).catch((error: unknown) => {
    // An interrupt or a later attempt was quicker: the next try finds it.
    if (!(error instanceof ConditionsFailed)) throw error;
  });
}

/** Dispatch answers the token with what is recorded, as with a build that failed. */
async function endUnbuilt(deps: BuildDeps, revision: Revision, message: string): Promise<void> {
  const now = deps.clock.now();
  await write(deps.table, recordBuildFact(revision, { kind: 'failed', message }, now)).catch(
    (error: unknown) => {
      // An interrupt was quicker, or another try has said the same.
      if (!(error instanceof ConditionsFailed)) throw error;
    },
  );
}

async function storeBuildToken(deps: BuildDeps, task: TokenTask, revision: Revision): Promise<void> {
  if (revision.status !== 'AWAITING_BUILD' && revision.status !== 'BUILDING')
    throw new StepRefused('Build', task);
  const now = deps.clock.now();
  try {
    await transact(deps.table, awaitBuild(task, revision, { dueAt: dueAtOf(deps, revision, now), now }));
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
    const current = await findRevision(deps.table, task);
    // The build of an earlier try of this step may have said meanwhile that it runs: then the same again.
    if (current === undefined || current.status === revision.status) throw new StepRefused('Build', task);
    await storeBuildToken(deps, task, current);
  }
}

/**
 * Until when it may wait for a builder. The time begins with AWAITING_BUILD, and anew with the attempt after
 * a crash: that is no fault of the source. A build that runs has been given another time.
 */
function dueAtOf({ settings }: BuildDeps, revision: Revision, now: number): number {
  if (revision.build_due_at !== undefined) return revision.build_due_at;
  const awaiting = revision.history.find(({ status }) => status === 'AWAITING_BUILD');
  const isFirst = attemptOf(revision) === 1 && awaiting !== undefined;
  return (isFirst ? Date.parse(awaiting.at) : now) + settings.buildQueueSeconds * 1000;
}

/** An interrupt that came while the build was being started did not know of it: then it is stopped here. */
async function storeBuildId(
  deps: BuildDeps,
  task: TokenTask,
  buildId: string,
  revision: Revision,
): Promise<void> {
  try {
    await write(deps.table, keepBuildId(task, buildId, revision));
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
    const current = await findRevision(deps.table, task);
    const isTaken = current !== undefined && takes(current, buildId);
    if (!isTaken) await deps.builds.stop(buildId);
    // Kept already by another try of this step, or over before anybody knew of it: who waits for it hears
    // that.
    const isOver = current?.outcome !== undefined || current?.lost_build?.id === buildId;
    if (current?.attempt === task.attempt && (isTaken || isOver)) return;
    throw new StepRefused('Build', task);
  }
}

/** It is this revision's build, or becomes that: a later attempt that starts one gets the same. */
const takes = (revision: Revision, buildId: string): boolean =>
  stageOf(revision.status) === 'build' &&
  revision.interrupt_requested_at === undefined &&
  revision.outcome === undefined &&
  revision.lost_build?.id !== buildId &&
  (revision.build_id ?? buildId) === buildId;

type Found = { deployment: Deployment; revision: Revision; listener: Listener | undefined };

async function jobOf(
  deps: BuildDeps,
  task: TokenTask,
  { deployment, revision, listener }: Found,
): Promise<BuildJob> {
  const [configuration, buildSecrets, secrets, credentials] = await Promise.all([
    getConfiguration(deps.table, task, revision.configuration),
    openBuildSecrets(deps, task, revision.build_secrets),
    secretValues(deps, task, revision),
    gitCredentialsOf(deps, deployment),
  ]);
  const source = await sourceOf(deps, task, configuration, revision);
  const compute = listener && computeKinds[listener.compute_type];
  const output = compute?.runs ?? 'image';
  const missing =
    listener !== undefined && output === 'image'
      ? await needsOf(deps, task, { revision, configuration, listener })
      : undefined;
  return {
    tenantId: task.tenantId,
    deploymentId: task.deploymentId,
    revisionId: task.revisionId,
    buildName: buildNameOf(revision),
    source: source.kind === 'git' ? { ...source, credentials } : source,
    rootDirectory: configuration.root_directory,
    configPath: revision.revision_config.graph_config_path ?? DEFAULT_CONFIG_PATH,
    installCommand: configuration.install_command,
    buildCommand: configuration.build_command,
    startCommand: configuration.start_command,
    durable: listener && durableWishOf(deps, { deployment, configuration, listener }),
    ...(output === 'folder' && { runtime: configuration.runtime }),
    dockerfilePath: configuration.dockerfile_path,
    dockerTarget: configuration.docker_target,
    buildEnv: configuration.build_env ?? [],
    buildSecrets,
    output,
    platforms: listener === undefined ? [] : platformsOf(listener),
    remark: revision.status_message,
    // A cluster may give its pods more than we know of.
    ...(missing && { serverLacks: { ...missing, isAll: compute?.isManaged === true } }),
    maskValues: credentials === undefined ? secrets : [...secrets, credentials.token],
  };
}

async function sourceOf(
  { table }: BuildDeps,
  task: TokenTask,
  { repo_url: repoUrl }: Configuration,
  { id, source, revision_config: fields }: Revision,
): Promise<BuildSource> {
  const { repo_ref: ref, repo_commit_sha: commitSha, source_tarball_path: key } = fields;
  const { needs } = sourceKinds[source];
  if (needs === 'source_tarball_path' && key !== undefined) {
    const uploadId = uploadIdOf(task, key);
    const upload = uploadId === undefined ? undefined : await findUpload(table, task, uploadId);
    if (upload === undefined) throw new Error(`the upload ${key} of revision ${id} is not recorded`);
    const { sha256 } = upload;
    return { kind: 'tarball', key: pinnedKeyOf(task, sha256), sha256 };
  }
  if (needs === 'repo_url' && repoUrl !== undefined && ref !== undefined)
    return { kind: 'git', repoUrl, ref, commitSha };
  throw new Error(`revision ${id} has no source to build`);
}
