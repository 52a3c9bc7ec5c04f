import type { BuildJob, BuildSource } from '../../adapters/builds.ts';
import { platformsOf } from '../../contract/platforms.ts';
import { DEFAULT_CONFIG_PATH } from '../../domain/source.ts';
import { findDeployment, getConfiguration } from '../../store/deployments.ts';
import { absent, equals, same, update } from '../../store/expressions.ts';
import type { Configuration, Deployment, Revision } from '../../store/items.ts';
import { revisionKeyOf } from '../../store/keys.ts';
import { findListener } from '../../store/listeners.ts';
import { ConditionsFailed, transact } from '../../store/operations.ts';
import { findRevision, move } from '../../store/revisions.ts';
import { findUpload } from '../../store/uploads.ts';
import type { Deps } from '../deps.ts';
import { gitCredentialsOf } from '../integrations/sealed.ts';
import { secretValues } from '../secrets.ts';
import { uploadIdOf } from '../uploads/object-path.ts';
import { StepRefused } from './prepare.ts';
import { storeToken, type TokenTask } from './tokens.ts';

type BuildDeps = Pick<Deps, 'table' | 'clock' | 'builds' | 'keys' | 'settings'>;

/**
 * The Build state: keeps the token, starts the build once (the revision id is its idempotency token), keeps the build's id. When the
 * outcome is recorded already, dispatch answers the token that was just stored.
 */
export async function buildRevision(deps: BuildDeps, task: TokenTask): Promise<void> {
  const revision = await findRevision(deps.table, task);
  const deployment = await findDeployment(deps.table, task.tenantId, task.deploymentId);
  if (revision === undefined || deployment === undefined) throw new StepRefused('Build', task);
  await storeBuildToken(deps, task, revision);
  if (revision.outcome !== undefined || revision.build_id !== undefined) return;
  const job = await jobOf(deps, task, deployment, revision);
  const { buildId } = await deps.builds.start(job, revision.id);
  await storeBuildId(deps, task, buildId);
}

async function storeBuildToken(deps: BuildDeps, task: TokenTask, revision: Revision): Promise<void> {
  if (revision.status !== 'AWAITING_BUILD' && revision.status !== 'BUILDING')
    throw new StepRefused('Build', task);
  const unwanted = absent('interrupt_requested_at');
  try {
    await transact(deps.table, [
      move(revision, revision.status, deps.clock.now(), {}, unwanted),
      storeToken(task, 'build'),
    ]);
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
    const current = await findRevision(deps.table, task);
    // The build of an earlier try of this step may have said meanwhile that it runs: then the same again.
    if (current === undefined || current.status === revision.status) throw new StepRefused('Build', task);
    await storeBuildToken(deps, task, current);
  }
}

/** An interrupt that came while the build was being started did not know of it: then it is stopped here. */
async function storeBuildId(deps: BuildDeps, task: TokenTask, buildId: string): Promise<void> {
  const dueAt = deps.clock.now() + deps.settings.buildSeconds * 1000;
  try {
    await transact(deps.table, [
      update(
        'revision',
        revisionKeyOf(task),
        { set: { build_id: buildId, build_due_at: dueAt } },
        equals('id', task.revisionId),
        absent('interrupt_requested_at'),
        same('build_id', undefined),
      ),
    ]);
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
    await deps.builds.stop(buildId);
    throw new StepRefused('Build', task);
  }
}

async function jobOf(
  deps: BuildDeps,
  task: TokenTask,
  deployment: Deployment,
  revision: Revision,
): Promise<BuildJob> {
  const [configuration, listener, secrets, credentials] = await Promise.all([
    getConfiguration(deps.table, task, revision.configuration),
    findListener(deps.table, task.tenantId, deployment.listener_id),
    secretValues(deps, task, revision.secrets),
    gitCredentialsOf(deps, deployment),
  ]);
  const source = await sourceOf(deps, task, configuration, revision);
  return {
    tenantId: task.tenantId,
    deploymentId: task.deploymentId,
    revisionId: task.revisionId,
    source: source.kind === 'git' ? { ...source, credentials } : source,
    configPath: revision.revision_config.graph_config_path ?? DEFAULT_CONFIG_PATH,
    installCommand: configuration.install_command,
    buildCommand: configuration.build_command,
    output: listener?.compute_type === 'process' ? 'folder' : 'image',
    platforms: platformsOf(listener?.compute_config ?? {}),
    remark: revision.status_message,
    maskValues: credentials === undefined ? secrets : [...secrets, credentials.token],
  };
}

async function sourceOf(
  { table }: BuildDeps,
  task: TokenTask,
  configuration: Configuration,
  revision: Revision,
): Promise<BuildSource> {
  const { repo_ref: ref, repo_commit_sha: commitSha, source_tarball_path: key } = revision.revision_config;
  if (key !== undefined) {
    const upload = await findUpload(table, task, uploadIdOf(task, key) ?? '');
    if (upload === undefined) throw new Error(`the upload ${key} of revision ${revision.id} is not recorded`);
    return { kind: 'tarball', key, versionId: upload.version_id, sha256: upload.sha256 };
  }
  const { repo_url: repoUrl } = configuration;
  if (repoUrl === undefined || ref === undefined)
    throw new Error(`revision ${revision.id} has no source to build`);
  return { kind: 'git', repoUrl, ref, commitSha };
}
