import { SourceError } from '../../adapters/git.ts';
import type { GitCredentials } from '../../adapters/git-credentials.ts';
import type { ExecutionInput } from '../../adapters/workflow.ts';
import { computeKinds } from '../../compute/kinds.ts';
import { createMask, maskSecrets } from '../../contract/mask.ts';
import type { RevisionRef } from '../../contract/refs.ts';
import type { AgentServer } from '../../contract/revision-status.ts';
import { describeFailure } from '../../domain/agent-failure.ts';
import { serverOf } from '../../domain/agent-server.ts';
import { artifactNumberOf } from '../../domain/file-places.ts';
import { misfit } from '../../domain/platforms.ts';
import { runtimeProblem } from '../../domain/runtime.ts';
import { sourceKinds } from '../../domain/source.ts';
import { stageOf } from '../../domain/transitions.ts';
import { ConditionsFailed } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import { describeCommit } from '../commit-words.ts';
import type { Deps } from '../deps.ts';
import { inheritedFrom } from '../engine/inherited.ts';
import { configurationFor } from '../engine/runtime.ts';
import { type PreparedFacts, prepare } from '../engine/transactions/steps.ts';
import { gitCredentialsOf } from '../git-credentials.ts';
import { findDeployment, getConfiguration } from '../items/deployments.ts';
import type { Deployment, Listener, Revision } from '../items/items.ts';
import { findListener } from '../items/listeners.ts';
import { findRevision, MoveRefused } from '../items/revisions.ts';
import { secretValues } from '../secrets.ts';
import { type NeedsDeps, needsOf } from './server-needs.ts';

export type PrepareDeps = Pick<Deps, 'clock' | 'git' | 'blobs'> & NeedsDeps;
export type Path = 'build' | 'deploy' | 'end';

/**
 * A later fact (an interrupt, a terminal status) stands against this step: the execution has nothing to do
 * any more.
 */
export class StepRefused extends Error {
  constructor(name: string, ref: RevisionRef) {
    super(`${name} of revision ${ref.revisionId} is not wanted any more`);
    this.name = 'StepRefused';
  }
}

/**
 * First state of the execution: checks that the listener is there, writes AWAITING_BUILD (or AWAITING_DEPLOY
 * when there is an artifact), resolves the ref to a commit, and says which way to go. What is wrong with the
 * source is recorded, and ends the execution. A revision that an earlier execution has taken further goes on
 * from there: no status moves back.
 */
export async function prepareRevision(deps: PrepareDeps, ref: ExecutionInput): Promise<{ path: Path }> {
  const [deployment, revision] = await Promise.all([
    findDeployment(deps.table, ref.tenantId, ref.deploymentId),
    findRevision(deps.table, ref),
  ]);
  if (deployment === undefined || revision === undefined) throw new StepRefused('Prepare', ref);
  try {
    return await goOn(deps, ref, deployment, revision);
  } catch (error) {
    if (!(error instanceof StepRefused)) throw error;
    const current = await findRevision(deps.table, ref);
    // An earlier attempt of this step, whose result was lost, may have advanced the revision: continue from
    // there.
    if (current === undefined || current.status === revision.status) throw error;
    return prepareRevision(deps, ref);
  }
}

async function goOn(
  deps: PrepareDeps,
  ref: ExecutionInput,
  deployment: Deployment,
  revision: Revision,
): Promise<{ path: Path }> {
  const { outcome, status } = revision;
  if (outcome !== undefined)
    return { path: outcome.stage === 'build' && outcome.result === 'succeeded' ? 'deploy' : 'end' };
  switch (stageOf(status)) {
    case 'create':
      return begin(deps, ref, deployment, revision);
    case 'build':
      return resolveSource(deps, ref, deployment);
    case 'deploy':
      return { path: 'deploy' };
    case undefined:
      throw new StepRefused('Prepare', ref);
  }
}

async function begin(
  deps: PrepareDeps,
  ref: ExecutionInput,
  deployment: Deployment,
  revision: Revision,
): Promise<{ path: Path }> {
  const listener = await findListener(deps.table, deployment.tenant_id, deployment.listener_id);
  const hindrance =
    hindranceOf(deployment, listener) ??
    (listener && (await runtimeHindrance(deps, ref, { deployment, revision, listener })));
  if (hindrance !== undefined) {
    const outcome = { stage: 'create', result: 'failed', message: hindrance } as const;
    await step(deps, ref, revision, 'QUEUED', { outcome });
    return { path: 'end' };
  }
  const { artifact, commit, lost } = await known(deps, ref, deployment, revision);
  const image = revision.revision_config.image_uri !== undefined;
  if (image || artifact !== undefined) {
    const unfit =
      listener &&
      (misfit(artifact?.platforms, listener) ??
        (await lackOf(deps, ref, { revision, listener, server: artifact?.server })));
    const outcome = unfit && ({ stage: 'deploy', result: 'failed', message: unfit } as const);
    await step(deps, ref, revision, 'AWAITING_DEPLOY', { artifact, commit, ...(outcome && { outcome }) });
    return { path: outcome ? 'end' : 'deploy' };
  }
  const message = lost ? builtAgain(commit) : undefined;
  await step(deps, ref, revision, 'AWAITING_BUILD', { commit, message });
  return resolveSource(deps, ref, deployment);
}

/**
 * Of what the revision ran in before, if it is deployed again; else of what is asked for. A deployment that
 * asks for none keeps that of its first revision.
 */
async function runtimeHindrance(
  deps: PrepareDeps,
  ref: RevisionRef,
  { deployment, revision, listener }: { deployment: Deployment; revision: Revision; listener: Listener },
): Promise<string | undefined> {
  const { runtime = 'auto', start_command: startCommand } = await configurationFor(
    deps,
    ref,
    deployment,
    revision,
  );
  const keeps = runtime === 'auto' && startCommand === undefined;
  const comes = revision.runtime ?? (keeps ? deployment.runtime?.resolved : runtime);
  return runtimeProblem(comes, startCommand, listener);
}

/** Without its stores a LangGraph server would not even be started where none are brought. */
async function lackOf(
  deps: PrepareDeps,
  ref: RevisionRef,
  { revision, listener, server }: { revision: Revision; listener: Listener; server: AgentServer | undefined },
): Promise<string | undefined> {
  if (computeKinds[listener.compute_type].bringsStores) return undefined;
  const configuration = await getConfiguration(deps.table, ref, revision.configuration);
  const { source } = revision;
  if (serverOf({ source, server }, configuration.resource_spec ?? {}) !== 'langgraph') return undefined;
  const missing = await needsOf(deps, ref, { revision, configuration, listener });
  // Which licence an image asks for is known to its server alone.
  return missing !== undefined && missing.stores.length > 0 ? describeFailure(missing) : undefined;
}

type Known = {
  artifact: Revision['artifact'];
  commit: string | undefined;
  /** It had an artifact that is not kept any more. */
  lost: boolean;
};

/**
 * The artifact and commit a revision brings along (a rollback) or takes from the one before it (a change of
 * settings alone).
 */
async function known(
  deps: PrepareDeps,
  ref: RevisionRef,
  deployment: Deployment,
  revision: Revision,
): Promise<Known> {
  const from = revision.inherits ? await inheritedFrom(deps, ref, revision) : revision;
  const artifact = from?.artifact;
  const lost = !(await exists(deps, deployment, artifact));
  return { artifact: lost ? undefined : artifact, commit: from?.revision_config.repo_commit_sha, lost };
}

/**
 * What is not kept any more is built again from the recorded source; what is about to be deleted counts as
 * gone.
 */
async function exists(
  deps: PrepareDeps,
  { artifacts }: Deployment,
  artifact: Revision['artifact'],
): Promise<boolean> {
  if (artifact?.kind !== 'folder') return true;
  if (artifacts?.dropped.includes(artifactNumberOf(artifact.key)) === true) return false;
  return (await deps.blobs.head(artifact.key)) !== undefined;
}

/** Shown until the revision ends, and the first line of its build log. */
const builtAgain = (commit: string | undefined): string =>
  `The artifact of this revision is no longer stored, so it is built again from ${commit === undefined ? 'its source' : `commit ${commit}`}.`;

function hindranceOf(deployment: Deployment, listener: Listener | undefined): string | undefined {
  if (listener === undefined) {
    return `Listener ${deployment.listener_id} of this deployment does not exist any more; nothing of the source was touched.`;
  }
  const namespace = deployment.k8s_namespace;
  if (namespace !== undefined && !listener.k8s_namespaces.includes(namespace)) {
    return `Listener ${listener.compute_id} has no namespace '${namespace}' any more; nothing of the source was touched.`;
  }
  return undefined;
}

/** Why a repository that could be read before cannot be read any more. */
const withoutIntegration = ({ config }: Deployment, credentials: GitCredentials | undefined): string =>
  config.integration_id === undefined || credentials !== undefined
    ? ''
    : ` (its integration ${config.integration_id} was deleted, so no token was sent)`;

async function resolveSource(
  deps: PrepareDeps,
  ref: ExecutionInput,
  deployment: Deployment,
): Promise<{ path: Path }> {
  const revision = await findRevision(deps.table, ref);
  if (revision === undefined) throw new StepRefused('Prepare', ref);
  const { repo_ref: repoRef, repo_commit_sha: commit } = revision.revision_config;
  const isKnown = commit !== undefined || revision.build_id !== undefined;
  if (sourceKinds[revision.source].needs !== 'repo_url' || isKnown) return { path: 'build' };
  const { repo_url: repoUrl } = await getConfiguration(deps.table, ref, revision.configuration);
  if (repoUrl === undefined || repoRef === undefined)
    throw new Error(`revision ${ref.revisionId} names no repository`);
  const credentials = await gitCredentialsOf(deps, deployment);
  const resolved = await resolve(deps, repoUrl, repoRef, credentials);
  if ('problem' in resolved) {
    // The words are a git server's and the client's own: they may hold anything.
    const secrets = await secretValues(deps, ref, revision);
    const hidden = credentials === undefined ? secrets : [...secrets, credentials.token];
    const message = `${maskSecrets(resolved.problem, hidden)}${withoutIntegration(deployment, credentials)}`;
    const outcome = { stage: 'build', result: 'failed', message } as const;
    await step(deps, ref, revision, revision.status, { outcome });
    return { path: 'end' };
  }
  if (resolved.commit !== undefined) {
    const words = await wordsOf(deps, ref, revision, { repoUrl, commit: resolved.commit, credentials });
    await step(deps, ref, revision, revision.status, { commit: resolved.commit, words });
  }
  return { path: 'build' };
}

/** What the commit says of itself, so that people know it by more than its name; undefined: nobody tells. */
async function wordsOf(
  deps: PrepareDeps,
  ref: ExecutionInput,
  revision: Revision,
  at: { repoUrl: string; commit: string; credentials: GitCredentials | undefined },
): Promise<Revision['commit']> {
  const { said } = await deps.git.look(at.repoUrl, { commit: at.commit, since: undefined }, at.credentials);
  if (said === undefined) return undefined;
  const secrets = await secretValues(deps, ref, revision);
  const mask = createMask(at.credentials === undefined ? secrets : [...secrets, at.credentials.token]);
  return describeCommit({ ...said, message: mask(said.message), author: mask(said.author) });
}

async function resolve(
  deps: PrepareDeps,
  repoUrl: string,
  repoRef: string,
  credentials: GitCredentials | undefined,
): Promise<{ commit: string | undefined } | { problem: string }> {
  try {
    return { commit: await deps.git.resolve(repoUrl, repoRef, credentials) };
  } catch (error) {
    if (error instanceof SourceError) return { problem: error.message };
    throw error;
  }
}

/** A repeated step finds its own status and writes it again. */
async function step(
  deps: PrepareDeps,
  ref: ExecutionInput,
  revision: Revision,
  to: Revision['status'],
  facts: PreparedFacts,
): Promise<void> {
  try {
    await write(deps.table, prepare(revision, to, facts, { attempt: ref.attempt, now: deps.clock.now() }));
  } catch (error) {
    if (error instanceof ConditionsFailed || error instanceof MoveRefused)
      throw new StepRefused('Prepare', ref);
    throw error;
  }
}
