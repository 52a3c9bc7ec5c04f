import {
  BatchGetBuildsCommand,
  type Build,
  CodeBuildClient,
  ResourceNotFoundException,
  StopBuildCommand,
} from '@aws-sdk/client-codebuild';
import type { RevisionRef } from '../../contract/refs.ts';
import { type AgentServer, agentServers } from '../../contract/revision-status.ts';
import { artifactKeyOf } from '../../domain/file-places.ts';
import { repositoryOf } from '../../domain/image-repository.ts';
import { type Artifact, type BuildControl, type BuildState, buildVariables } from '../builds.ts';
import { isObjectId } from '../git-errors.ts';
import { hasImage } from './registry.ts';

/**
 * Looks at builds in CodeBuild and stops them; it needs none of what a start does. `registryHost`: where
 * images of builds are.
 */
export function createBuildControl(registryHost: string | undefined): BuildControl {
  const client = new CodeBuildClient({});
  return {
    // CodeBuild takes the container away within seconds; what it may still upload until then is never read.
    async stop(buildId) {
      await client.send(new StopBuildCommand({ id: buildId })).catch((error: unknown) => {
        if (!(error instanceof ResourceNotFoundException)) throw error;
      });
    },
    async state(buildId) {
      const { builds = [] } = await client.send(new BatchGetBuildsCommand({ ids: [buildId] }));
      return checkedState(builds[0], registryHost);
    },
  };
}

/** An image that a build reports is believed when the registry has it. */
async function checkedState(build: Build | undefined, registryHost: string | undefined): Promise<BuildState> {
  const state = buildStateOf(build, registryHost);
  if (build === undefined || state.state !== 'succeeded' || state.artifact.kind !== 'image') return state;
  if (await hasImage(revisionOfBuild(build), imageDigestOf(state.artifact))) return state;
  return {
    state: 'failed',
    message:
      'The build reported an image that is not in the registry of this deployment; redeploy to build again.',
  };
}

/** As many characters of CodeBuild's own reasons as a status message can use. */
const REASON_LENGTH_MAX = 2_000;
const WAITING_PHASES = new Set<string | undefined>(['SUBMITTED', 'QUEUED']);

/** What CodeBuild knows of a build, in our words. */
function buildStateOf(build: Build | undefined, registryHost: string | undefined): BuildState {
  switch (build?.buildStatus) {
    case undefined:
      return { state: 'absent' };
    case 'IN_PROGRESS':
      return { state: WAITING_PHASES.has(build?.currentPhase) ? 'waiting' : 'running' };
    case 'SUCCEEDED':
      return succeeded(build ?? {}, registryHost);
    case 'STOPPED':
      return { state: 'stopped' };
    case 'TIMED_OUT':
      if (neverStarted(build ?? {})) return { state: 'unstarted' };
      return { state: 'failed', message: reasonOf(build ?? {}, 'The build took longer than it may.') };
    case 'FAULT':
      return { state: 'lost' };
    default:
      return { state: 'failed', message: reasonOf(build ?? {}, 'The build failed without a reason.') };
  }
}

/** Nothing but the queue is among the phases of a build that no machine has taken. */
const neverStarted = ({ phases = [] }: Build): boolean =>
  phases.some(({ phaseType }) => phaseType === 'QUEUED') &&
  phases.every(({ phaseType }) => phaseType === 'COMPLETED' || WAITING_PHASES.has(phaseType));

/** The phases that failed say why in their contexts. */
function reasonOf({ phases = [] }: Build, otherwise: string): string {
  const bad = phases.filter(({ phaseStatus }) => phaseStatus !== undefined && phaseStatus !== 'SUCCEEDED');
  const reasons = bad.flatMap(({ phaseType, contexts = [] }) =>
    contexts.flatMap(({ message }) => (message ? [`${phaseType}: ${message}`] : [])),
  );
  return reasons.length === 0 ? otherwise : reasons.join('; ').slice(0, REASON_LENGTH_MAX);
}

/**
 * What a build reports is believed only where it is this revision's own: code of the user may have had a hand
 * in the report, and another tenant's artifact must not be reachable by naming it.
 */
function succeeded(build: Build, registryHost: string | undefined): BuildState {
  const ref = revisionOfBuild(build);
  const reported = new Map(build.exportedEnvironmentVariables?.map(({ name, value }) => [name, value]));
  // The builder ends well when it could tell why a source cannot be built.
  const reason = reported.get('FAILURE_REASON') ?? '';
  if (reason !== '') return { state: 'failed', message: reason.slice(0, REASON_LENGTH_MAX) };
  const made =
    imageOf(reported.get('ARTIFACT_DIGEST'), ref, registryHost) ??
    folderOf(reported, artifactKeyOf({ ...ref, buildName: ownVariableOf(build, buildVariables.buildName) }));
  // What it was started for, not what it says.
  const platforms = variableOf(build, buildVariables.platforms)?.split(',').filter(Boolean) ?? [];
  const server = serverIn(reported.get('ARTIFACT_SERVER'));
  const artifact = made && {
    ...made,
    ...(platforms.length > 0 && { platforms }),
    ...(server !== undefined && { server }),
    ...(reported.get('ARTIFACT_DURABLE') === 'true' && { durable: true }),
  };
  if (artifact === undefined) {
    return { state: 'failed', message: 'The build succeeded but reported no artifact of this revision.' };
  }
  const commitSha = reported.get('COMMIT_SHA');
  return {
    state: 'succeeded',
    artifact,
    commitSha: commitSha !== undefined && isObjectId(commitSha) ? commitSha : undefined,
  };
}

/** One repository a deployment; digests are checked for their form, so the address stays inside it. */
function imageOf(
  digest: string | undefined,
  ref: RevisionRef,
  registryHost: string | undefined,
): Artifact | undefined {
  if (registryHost === undefined || !/^sha256:[0-9a-f]{64}$/.test(digest ?? '')) return undefined;
  return { kind: 'image', uri: `${registryHost}/${repositoryOf(ref)}@${digest}` };
}

/** The digest in the address of an image that `buildStateOf` made. */
const imageDigestOf = ({ uri }: Extract<Artifact, { kind: 'image' }>): string =>
  uri.slice(uri.indexOf('@') + 1);

function folderOf(reported: Map<string | undefined, string | undefined>, key: string): Artifact | undefined {
  const sha256 = reported.get('ARTIFACT_SHA256') ?? '';
  const sizeBytes = reported.get('ARTIFACT_SIZE_BYTES') ?? '';
  const valid =
    reported.get('ARTIFACT_KEY') === key && /^[0-9a-f]{64}$/.test(sha256) && /^\d{1,15}$/.test(sizeBytes);
  return valid ? { kind: 'folder', key, sha256, sizeBytes: Number(sizeBytes) } : undefined;
}

/** A builder of an earlier release says nothing of it. */
const serverIn = (said: string | undefined): AgentServer | undefined =>
  agentServers.find((server) => server === said);

const variableOf = ({ environment }: Build, name: string): string | undefined =>
  environment?.environmentVariables?.find((variable) => variable.name === name)?.value;

/** A variable that each build of ours is started with. Throws when it is not there. */
function ownVariableOf(build: Build, name: string): string {
  const value = variableOf(build, name);
  if (value) return value;
  throw new Error(`build ${build.id} has no variable ${name}: Slipway did not start it`);
}

/** The revision as it was named when the build was started. Throws for a build that Slipway did not start. */
const revisionOfBuild = (build: Build): RevisionRef => ({
  tenantId: ownVariableOf(build, buildVariables.tenantId),
  deploymentId: ownVariableOf(build, buildVariables.deploymentId),
  revisionId: ownVariableOf(build, buildVariables.revisionId),
});
