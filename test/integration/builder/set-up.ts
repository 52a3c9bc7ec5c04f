import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as tar from 'tar';
import { onTestFinished } from 'vitest';
import type { BuildChanged, BuildJob, BuildState } from '../../../lib/adapters/builds.ts';
import { createDiskBlobs } from '../../../lib/embedded/blobs/disk.ts';
import { openBuilder } from '../../../lib/embedded/builder/builder.ts';
import type { BuildLimits } from '../../../lib/embedded/builder/watch.ts';
import { createSystemGit } from '../../../lib/embedded/git/system-git.ts';
import { openLogStore } from '../../../lib/embedded/logs/store.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { until } from '../../support/until.ts';

export type Options = { limits?: Partial<BuildLimits>; concurrency?: number; dataFolder?: string };

/** A builder with real twins around it, in its own data folder. */
export async function setUp(options: Options = {}) {
  const dataFolder = options.dataFolder ?? (await temporaryFolder());
  const processes = new ProcessSupervisor();
  const logs = openLogStore({ path: ':memory:', now: Date.now });
  const signingKey = randomBytes(32);
  const blobs = createDiskBlobs({
    folder: join(dataFolder, 'blobs'),
    baseUrl: () => '',
    signingKey,
    now: Date.now,
    uploadBytesMax: 0,
  });
  const git = createSystemGit(processes);
  const builder = await openBuilder({ ...options, dataFolder, processes, logs, blobs, git });
  const changes: BuildChanged[] = [];
  builder.onChange((change) => changes.push(change));
  onTestFinished(async () => {
    await builder.close();
    await processes.close();
    logs.close();
  });
  const ended = (buildId: string) =>
    until(async () => settled(await builder.state(buildId)), {
      what: `the end of ${buildId}`,
    });
  const logOf = async (job: BuildJob) => {
    const { tenantId, deploymentId, revisionId } = job;
    const stream = { tenantId, deploymentId, revisionId, type: 'build' as const };
    return (await logs.query(stream, { order: 'asc', limit: 1_000 })).entries;
  };
  const run = async (job: BuildJob) => {
    const { buildId } = await builder.start(job);
    const state = await ended(buildId);
    const entries = await logOf(job);
    return { buildId, state, entries, log: entries.map((entry) => entry.message) };
  };
  return { builder, processes, blobs, dataFolder, changes, ended, logOf, run };
}

function settled(state: BuildState) {
  return state.state === 'waiting' || state.state === 'running' ? undefined : state;
}

/** A job for the repository's `main`, with new ids. */
export function jobFor(repoUrl: string, more: Partial<BuildJob> = {}): BuildJob {
  const revisionId = randomUUID();
  return {
    tenantId: randomUUID(),
    deploymentId: randomUUID(),
    revisionId,
    buildName: revisionId,
    source: { kind: 'git', repoUrl, ref: 'main', commitSha: undefined },
    rootDirectory: undefined,
    configPath: 'langgraph.json',
    installCommand: undefined,
    buildCommand: undefined,
    startCommand: undefined,
    dockerfilePath: undefined,
    dockerTarget: undefined,
    buildEnv: [],
    buildSecrets: [],
    output: 'folder',
    platforms: [],
    remark: undefined,
    maskValues: [],
    ...more,
  };
}

/** The paths and the text of the files of a stored artifact. */
export async function unpack(blobs: { read(key: string): NodeJS.ReadableStream }, key: string) {
  const contents = new Map<string, string>();
  const list = tar.list({
    onReadEntry: (entry) => {
      const chunks: Buffer[] = [];
      entry.on('data', (chunk) => chunks.push(chunk));
      entry.on('end', () => contents.set(entry.path.replace(/^\.\//, ''), Buffer.concat(chunks).toString()));
    },
  });
  await new Promise<void>((done, failed) => {
    blobs.read(key).on('error', failed).pipe(list).on('end', done).on('error', failed);
  });
  return contents;
}

/** The message of a failed build. */
export function messageOf(state: BuildState): string {
  if (state.state !== 'failed') throw new Error(`The build has not failed: ${JSON.stringify(state)}`);
  return state.message;
}
