import { mkdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Artifact, BuildJob } from '../../adapters/builds.ts';
import { type Git, SourceError } from '../../adapters/git.ts';
import { addWorker, NotDurable } from '../../builds/durable.ts';
import { carryOut } from '../../builds/execute.ts';
import { BuildFailure } from '../../builds/failure.ts';
import { refuseLfsPointers } from '../../builds/lfs.ts';
import type { BuildPlan } from '../../builds/plan.ts';
import { requireFiles } from '../../builds/plan-project.ts';
import { sealSource } from '../../builds/seal.ts';
import { leaveOuterFolder, reportUnpacked, unpackTarball } from '../../builds/tarball.ts';
import { variablesOf } from '../../builds/variables.ts';
import { platformOf } from '../../contract/images/platforms.ts';
import { artifactKeyOf } from '../../domain/file-places.ts';
import type { Processes } from '../../processes/run-command.ts';
import { unpackArchive } from '../../unpack/unpack.ts';
import type { DiskBlobs } from '../blobs/disk.ts';
import type { BuildLog } from './build-log.ts';
import { buildEnvironment, createSite } from './build-site.ts';
import { openDependencyCache, ownDownloads } from './dependency-cache.ts';
import { BuildAborted, failureMessage } from './failure.ts';
import { fetchCommit, forgetHistory } from './git-source.ts';
import { install } from './install.ts';
import { planHere } from './machine.ts';
import type { EndState } from './results.ts';
import { withUv } from './uv.ts';
import { type BuildLimits, watchLimits } from './watch.ts';
import { discardFolder, folderSizeBytes, packFolder } from './work-folder.ts';

export type BuildTools = {
  processes: Processes;
  git: Git;
  blobs: Pick<DiskBlobs, 'put' | 'fileOf'>;
  limits: BuildLimits;
  /** Holds what was installed, a folder a tenant. */
  cacheFolder: string;
  /** Holds the tools that all builds of this machine share. */
  toolsFolder: string;
};

export type BuildRun = {
  job: BuildJob;
  folder: string;
  log: BuildLog;
  controller: AbortController;
};

/** A build while it runs: `step` is what a limit that strikes names. */
type Context = BuildTools & BuildRun & { step: string };

/**
 * One build from its source to the stored artifact, in its own folder; when this resolves, no process of it
 * is alive. Never throws: whatever happens becomes the end state, and its cause the last line of the log.
 */
export async function runBuild(tools: BuildTools, run: BuildRun): Promise<EndState> {
  const context: Context = { ...tools, ...run, step: 'start' };
  const { folder, log, controller } = run;
  try {
    await mkdir(folder, { recursive: true });
    const endWatch = watchLimits(folder, tools.limits, controller);
    try {
      return await buildAndStore(context);
    } finally {
      endWatch();
    }
  } catch (error) {
    return explain(context, error);
  } finally {
    await discardFolder(folder);
    await discardFolder(downloadsOf(folder));
    await log.flush();
  }
}

/** Beside the work folder: of what a build downloads with its secrets, which nothing else may use. */
const downloadsOf = (folder: string): string => join(dirname(folder), `downloads-${basename(folder)}`);

async function buildAndStore(context: Context): Promise<EndState> {
  const { job, log } = context;
  if (job.output === 'image') {
    throw new BuildFailure(
      'This machine builds folders, not images; use a listener of type process, or give image_uri',
    );
  }
  if (job.remark !== undefined) log.say(job.remark);
  const clock = stopwatch();
  const commitSha = await obtainSource(context);
  const cloneMs = clock.lap();
  const [made, installMs] = await timed(context, 'install', () => planAndInstallAsFar(context));
  const { site, plan, tools, afterBuild } = made;
  const [, buildMs] = await timed(context, 'build', () => carryOut(site, plan, 'build', plan.build));
  await requireFiles(site.root, plan.requires);
  await sealSource(site.root, plan, tools);
  if (plan.isDurable) await addWorker(site.root, plan, WORKER);
  await afterBuild();
  clock.lap();
  const artifact = await pack(context, plan);
  const packMs = clock.lap();
  const times = `clone_ms=${cloneMs} install_ms=${installMs} build_ms=${buildMs} pack_ms=${packMs}`;
  log.say(`timing: ${times} total_ms=${clock.total()}`);
  return { state: 'succeeded', artifact, commitSha };
}

/** The program that runs graphs beside the durable server. */
const WORKER = fileURLToPath(new URL('../../agent-runtime/python/slipway_worker', import.meta.url));

/** Whole milliseconds since the last lap, and since the start. */
function stopwatch() {
  const start = performance.now();
  let last = start;
  return {
    lap(): number {
      const before = last;
      last = performance.now();
      return Math.round(last - before);
    },
    total: () => Math.round(performance.now() - start),
  };
}

/** Puts the source into the work folder and tells its commit. */
async function obtainSource(context: Context): Promise<string | undefined> {
  const { job, folder, log, processes, git, blobs, controller } = context;
  const { signal } = controller;
  const { source } = job;
  context.step = source.kind === 'git' ? 'clone' : 'unpack';
  if (source.kind === 'tarball') {
    log.say('Unpacking the uploaded source');
    const file = blobs.fileOf(source.key);
    const request = unpackTarball({ file, sha256: source.sha256, folder });
    reportUnpacked(await unpackArchive(processes, request, signal), (text) => log.say(text));
    await leaveOuterFolder(folder, job, (text) => log.say(text));
    await refuseLfsPointers(folder);
    return undefined;
  }
  const { repoUrl, ref, credentials } = source;
  const commitSha = source.commitSha ?? (await git.resolve(repoUrl, ref, credentials));
  if (commitSha === undefined)
    throw new BuildFailure(`Ref '${ref}' of ${repoUrl} cannot be resolved to a commit`);
  log.say(`Cloning ${repoUrl} at ${ref} (commit ${commitSha})`);
  await fetchCommit(processes, { repoUrl, commitSha, folder, log, signal, credentials });
  return commitSha;
}

/** Installs for the durable server where that is preferred, and for another where it cannot be. */
async function planAndInstallAsFar(context: Context) {
  const { job, log } = context;
  try {
    return await planAndInstall(context);
  } catch (error) {
    if (!(error instanceof NotDurable) || job.durable !== 'preferred') throw error;
    log.say(`${error.message}. Its runtime is 'dev' therefore, and it is installed for that`, 'WARNING');
    return planAndInstall({ ...context, job: { ...job, durable: undefined } });
  }
}

/** Decides how the project is built, and installs what it depends on. */
async function planAndInstall(context: Context) {
  const { job, cacheFolder, toolsFolder, processes, log, controller } = context;
  const { signal } = controller;
  const environment = buildEnvironment(dirname(context.folder));
  const cache = openDependencyCache({ folder: join(cacheFolder, job.tenantId), processes, signal });
  const root = await realpath(context.folder);
  const bare = createSite({
    processes,
    log,
    signal,
    root,
    environment: { ...environment, ...cache.environment },
  });
  const { request, plan, tools } = await planHere(bare, job, toolsFolder);
  for (const { text, level } of plan.notes) log.say(text, level);
  const ready = await withUv(bare, plan, toolsFolder);
  // Not before: what is shared between builds is installed without what a client sets.
  const downloads = job.buildSecrets.length === 0 ? {} : ownDownloads(downloadsOf(context.folder));
  const site = { ...ready, environment: { ...ready.environment, ...downloads, ...variablesOf(job) } };
  return { site, plan, tools, afterBuild: await install({ site, plan, request, cache, variables: job }) };
}

/** The result of a step, and how many milliseconds it took. */
async function timed<T>(context: Context, step: string, run: () => Promise<T>): Promise<[T, number]> {
  const clock = stopwatch();
  context.step = step;
  const result = await run();
  return [result, clock.lap()];
}

async function pack(context: Context, { server, isDurable = false }: BuildPlan): Promise<Artifact> {
  const { job, folder, log, blobs, limits, controller } = context;
  context.step = 'pack';
  context.log.startTail();
  await forgetHistory(folder);
  if ((await folderSizeBytes(folder)) > limits.folderBytesMax) throw new BuildAborted('too_large');
  log.say('Packing the built folder');
  const onDropped = (path: string) =>
    log.say(
      `Left out ${relative('.', path)}: a link that leads out of the source, or no ordinary file`,
      'WARNING',
    );
  const key = artifactKeyOf(job);
  const stored = await blobs.put(key, packFolder(folder, onDropped, job.buildSecrets), controller.signal);
  log.say(`Stored the artifact: ${stored.sizeBytes} bytes`);
  const platforms = [platformOf(process)];
  return { kind: 'folder', key, ...stored, platforms, server, ...(isDurable && { durable: true }) };
}

/** The end state of a build that threw, and the cause as the last line of its log. */
function explain(context: Context, error: unknown): EndState {
  const { log, controller } = context;
  const cause: unknown = controller.signal.aborted ? controller.signal.reason : error;
  if (cause instanceof BuildAborted && (cause.why === 'stopped' || cause.why === 'closing')) {
    log.say('The build was stopped', 'WARNING');
    return { state: 'stopped' };
  }
  const withOutput = cause instanceof BuildAborted || (cause instanceof BuildFailure && cause.withOutput);
  const summary = log.mask(summaryOf(context, cause));
  log.say(summary, 'ERROR');
  return { state: 'failed', message: failureMessage(summary, withOutput ? log.tail() : []) };
}

function summaryOf({ step, limits }: Context, cause: unknown): string {
  if (cause instanceof BuildFailure || cause instanceof SourceError) return cause.message;
  if (cause instanceof BuildAborted) {
    return cause.why === 'too_long'
      ? `The build was ended in step '${step}' because it took longer than ${limits.buildSeconds} s`
      : `The build was ended in step '${step}' because its work folder grew over ${limits.folderBytesMax} bytes`;
  }
  return `The build broke in step '${step}': ${cause instanceof Error ? cause.message : String(cause)}`;
}
