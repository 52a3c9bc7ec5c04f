import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, onTestFinished } from 'vitest';
import { bundleBuilder } from '../../../lib/infra/builder-bundle.ts';
import { buildspec } from '../../../lib/infra/builds.ts';
import { gitRepositoryIn, type TestRepository } from '../../support/files/git-repository.ts';
import { newFolder, removeFolder, temporaryFolder } from '../../support/files/temporary-folder.ts';
import type { Files } from '../../support/files/write-files.ts';

const tools = fileURLToPath(new URL('tools/', import.meta.url));
export const ids = { tenant: 'tenant-1', deployment: 'deployment-1', revision: 'revision-1' };
export const jobKey = `builds/${ids.tenant}/${ids.deployment}/${ids.revision}.json`;
export const digest = `sha256:${'d'.repeat(64)}`;
export const repository = `registry.example/slipway/${ids.tenant}/${ids.deployment}`;

/** What the build machine has in its environment, and user code must never see. */
const machine = {
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/credentials/machine-secret',
  AWS_REGION: 'eu-west-1',
  CODEBUILD_AUTH_TOKEN: 'machine-secret',
  BUILDER_BUCKET_NAME: 'assets',
  BUILDER_KEY: 'builder.zip',
  JOBS_BUCKET_NAME: 'bucket',
  SLIPWAY_TENANT_ID: ids.tenant,
  SLIPWAY_DEPLOYMENT_ID: ids.deployment,
  SLIPWAY_REVISION_ID: ids.revision,
  SLIPWAY_BUILD_NAME: ids.revision,
};
export const push = {
  repository,
  region: 'eu-west-1',
  accessKeyId: 'push-key-id',
  secretAccessKey: 'push-secret',
  sessionToken: 'push-session',
};

export type Job = Record<string, unknown>;
export type Call = { tool: string; args: string[]; env: Record<string, string> };
export type Ended = {
  code: number;
  /** What was printed, in order. */
  lines: string[];
  exported: Record<string, string>;
  calls: Call[];
};

export type Builder = {
  folder: string;
  state: string;
  /** Makes a repository that the builder reads at `https://git.example/<name>`. */
  repository(name: string, files: Files, format?: 'sha256'): Promise<TestRepository>;
  /** Runs the commands of the buildspec for this job, as CodeBuild would, in an environment with `more`. */
  run(job: Job, more?: Record<string, string>): Promise<Ended>;
  /** Names of what is left in the folder for temporary files. */
  leftovers(): Promise<string[]>;
};

/**
 * The builder as it is deployed: the bundle, and the archive of it that builds fetch. Made once for a file of
 * tests.
 */
let made: Promise<{ parent: string; folder: string; archive: string }> | undefined;
export function theBuilder() {
  made ??= bundle();
  return made;
}
afterAll(async () => {
  if (made !== undefined) await removeFolder((await made).parent);
});

async function bundle() {
  const parent = await newFolder();
  const folder = await bundleBuilder(join(parent, 'builder'));
  const archive = join(parent, 'builder.zip');
  execFileSync('zip', ['-q', '-r', archive, '.'], { cwd: folder });
  return { parent, folder, archive };
}

/** A build machine in a folder of its own, with recorders in the place of what reaches out of it. */
export async function aBuilder(): Promise<Builder> {
  const folder = await temporaryFolder();
  const at = (...names: string[]): string => join(folder, ...names);
  await cp(tools, at('bin'), { recursive: true });
  for (const name of ['aws', 'docker', 'dockerd', 'git', 'iptables', 'ip6tables', 'nsenter'])
    await chmod(at('bin', name), 0o755);
  for (const name of ['state/repositories', 'state/described', 'tmp', 'cwd', 'added'])
    await mkdir(at(name), { recursive: true });
  await writeFile(
    at('state/repo-digests'),
    JSON.stringify([`other@sha256:${'0'.repeat(64)}`, `${repository}@${digest}`]),
  );
  await writeFile(at('state/calls'), '');
  await cp((await theBuilder()).archive, at('state/builder.zip'));
  return {
    folder,
    state: at('state'),
    async repository(name, files, format) {
      await mkdir(at('state/repositories', name), { recursive: true });
      return gitRepositoryIn(at('state/repositories', name), files, format);
    },
    async run(job, more = {}) {
      await writeFile(at('state/job.json'), JSON.stringify(job));
      return runCommands(folder, more);
    },
    leftovers: () => readdir(at('tmp'), { recursive: true }),
  };
}

/** One shell for all commands, each of which must succeed; what is exported is read afterwards. */
async function runCommands(folder: string, more: Record<string, string>): Promise<Ended> {
  // The buildspec is an object of this form by the format's own rules.
  const { env, phases } = buildspec() as {
    env: { 'exported-variables': string[] };
    phases: { build: { commands: string[] } };
  };
  const report = env['exported-variables'].map(
    (name) => `printf '%s=%s\\0' ${name} "\${${name}-}" >>"$REPORT"`,
  );
  const script = ['set -e', ...phases.build.commands, ...report].join('\n');
  // Without --norc a bash whose input is a socket takes itself for a remote login, and reads the developer's
  // own settings.
  const child = spawn('bash', ['--norc', '-c', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: join(folder, 'cwd'),
    env: {
      ...machine,
      ...more,
      // Behind the recorders what a test adds, the Node.js of the image, and everything else.
      PATH: [join(folder, 'bin'), join(folder, 'added'), dirname(process.execPath), process.env.PATH].join(
        ':',
      ),
      HOME: process.env.HOME,
      TMPDIR: join(folder, 'tmp'),
      REPORT: join(folder, 'report'),
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  await once(child, 'close');
  const reported = await readFile(join(folder, 'report'), 'utf8').catch(() => '');
  const calls = (await readFile(join(folder, 'state/calls'), 'utf8')).split('\n').filter(Boolean);
  return {
    code: child.exitCode ?? -1,
    lines: output.trimEnd().split('\n'),
    exported: Object.fromEntries(
      reported
        .split('\0')
        .filter(Boolean)
        .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])
        .filter(([, value]) => value !== ''),
    ),
    // Written by the recorders, in this form.
    calls: calls
      .map((line) => JSON.parse(line) as Call)
      // Every build fetches the builder first.
      .filter(({ args }) => !args.includes(machine.BUILDER_KEY)),
  };
}

/** The calls of `docker buildx build`. */
export const buildsOf = ({ calls }: Pick<Ended, 'calls'>): Call[] =>
  calls.filter(({ tool, args }) => tool === 'docker' && args[0] === 'buildx');

/** A server on this machine, in the place of the bucket that signed addresses lead to. */
export async function aStore(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  // It listens on TCP, so its address is of this form.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Fields that every job has. */
export const aJob = (changes: Job = {}): Job => ({
  tenantId: ids.tenant,
  deploymentId: ids.deployment,
  revisionId: ids.revision,
  source: { kind: 'git', repoUrl: 'https://git.example/app', ref: 'main' },
  configPath: 'langgraph.json',
  output: 'image',
  push,
  ...changes,
});
