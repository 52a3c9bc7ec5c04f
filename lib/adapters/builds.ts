import type { DurableWish, Runtime } from '../contract/deployments/runtimes.ts';
import type { RevisionRef } from '../contract/refs.ts';
import type { AgentServer } from '../contract/revision-status.ts';
import type { GitCredentials } from './git-credentials.ts';

/** What a build made: a folder as a tar file in the blob store, or an image by digest. */
export type Artifact =
  | ({ kind: 'folder'; key: string; sha256: string; sizeBytes: number } & Made)
  | ({ kind: 'image'; uri: string } & Made);

/**
 * `platforms`: `linux/arm64` and the like, of which a folder is for one. Absent: not known. `durable`: what
 * Slipway's own agent server needs is in it.
 */
type Made = {
  platforms?: string[] | undefined;
  server?: AgentServer | undefined;
  durable?: boolean | undefined;
};

export type BuildSource =
  | {
      kind: 'git';
      repoUrl: string;
      ref: string;
      commitSha: string | undefined;
      credentials?: GitCredentials | undefined;
    }
  | { kind: 'tarball'; key: string; sha256: string };

/** A variable of a build's environment. */
export type BuildVariable = { name: string; value: string };

/**
 * All a build needs. A deployment's secrets never reach it: `maskValues` are only replaced in what it prints.
 */
export type BuildJob = RevisionRef & {
  /**
   * What the build and all that it leaves is called by: the revision's id, and `-2`, `-3` … after it for each
   * build of it that was lost. A build that comes back late overwrites nothing.
   */
  buildName: string;
  source: BuildSource;
  /** The folder of the project, relative to the root of the source, which is all there; undefined: the root. */
  rootDirectory: string | undefined;
  /**
   * Relative to the project's folder; the build runs in its folder. `langgraph.json` need not be there: then
   * the project says by a start script or a Procfile what it is. A file at any other path must be.
   */
  configPath: string;
  installCommand: string | undefined;
  buildCommand: string | undefined;
  /** The server's, in place of what the project says; who runs the server is told of it too. */
  startCommand: string | undefined;
  durable?: DurableWish | undefined;
  /** What is asked for to run it, on compute that runs folders: a source that does not fit fails. */
  runtime?: Runtime | undefined;
  /** Relative to the project's folder. */
  dockerfilePath: string | undefined;
  /** A stage of the Dockerfile. */
  dockerTarget: string | undefined;
  /** Shown to everybody who sees the deployment. */
  buildEnv: readonly BuildVariable[];
  /** For the build's commands alone, never in what it makes. `maskValues` has these values too. */
  buildSecrets: readonly BuildVariable[];
  output: 'folder' | 'image';
  /**
   * What it is built for, such as `linux/amd64`; empty: not known, so for what the builder builds for by
   * itself.
   */
  platforms: string[];
  /**
   * What is missing for a LangGraph server; absent: nothing that is known. `isAll`: nobody else gives it
   * what is missing. Only an image is one that asks for it.
   */
  serverLacks?: { stores: string[]; licence: boolean; isAll: boolean };
  /** To be said before anything else. */
  remark: string | undefined;
  /** Values never to be shown in what the build prints. */
  maskValues: string[];
};

export type BuildState =
  | { state: 'waiting' }
  | { state: 'running' }
  | { state: 'succeeded'; artifact: Artifact; commitSha: string | undefined }
  /** `message`: a reason a person can act on, with the last lines of output, masked. */
  | { state: 'failed'; message: string }
  | { state: 'stopped' }
  /**
   * It ended through no fault of its own, and what it made is lost: a fault of the builder, or of the
   * machine.
   */
  | { state: 'lost' }
  /** The builder let it wait for as long as its own queue lets any, and never began it. */
  | { state: 'unstarted' }
  /** Nothing is known of it, which may be eventually consistent. */
  | { state: 'absent' };

/** No build can start now; the state machine tries again later. */
export class BuildsAtCapacity extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BuildsAtCapacity';
  }
}

/** Nothing can be built here for the platforms that a job names. */
export class CannotBuildFor extends Error {
  /** What can be built for. */
  readonly able: readonly string[];

  constructor(wanted: readonly string[], able: readonly string[]) {
    super(`Builds here are for ${able.join(' and ')}, not for ${wanted.join(' and ')}`);
    this.name = 'CannotBuildFor';
    this.able = able;
  }
}

/** Runs builds: CodeBuild, or child processes of this machine. */
export type Builds = BuildControl & {
  /**
   * Starts a build once per name: a repeated start gives the same build. Throws BuildsAtCapacity,
   * CannotBuildFor.
   */
  start(job: BuildJob): Promise<{ buildId: string }>;
};

/** What can be done with a build that was started. */
export type BuildControl = {
  /** Resolves when nothing of the build runs any more. Harmless for one that ended or is unknown. */
  stop(buildId: string): Promise<void>;
  state(buildId: string): Promise<BuildState>;
};

/**
 * What is announced when a build starts to run or ends (EventBridge, or in process): a hint to look at its
 * state.
 */
export type BuildChanged = { buildId: string; ref: RevisionRef };

/**
 * The environment variables that carry a build's revision and what it is for, set when it is started and read
 * from its events and its state.
 */
export const buildVariables = {
  tenantId: 'SLIPWAY_TENANT_ID',
  deploymentId: 'SLIPWAY_DEPLOYMENT_ID',
  revisionId: 'SLIPWAY_REVISION_ID',
  buildName: 'SLIPWAY_BUILD_NAME',
  platforms: 'SLIPWAY_PLATFORMS',
} as const;
