import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as tar from 'tar';
import { onTestFinished } from 'vitest';
import type { DeploySpec } from '../../../lib/features/listener-protocol/shape.ts';
import { childEnvironment } from '../../../lib/processes/environment.ts';
import { freePort } from '../../../lib/processes/free-port.ts';
import { newFolder, removeFolder } from '../../support/files/temporary-folder.ts';
import { helloFiles } from '../../support/programs/hello-server.ts';
import { readProcesses } from '../../support/programs/processes.ts';
import { compileCache } from '../../support/programs/program.ts';
import { endWithRun } from '../../support/run/end-with-run.ts';
import { until } from '../../support/until.ts';
import { plainSpec } from '../../support/world/deploy-spec.ts';
import type { FakeControlPlane, OnEnd } from './fake-control-plane.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The listener as a user starts it, with what the tests ask of it. */
export class ListenerProgram {
  readonly dataFolder: string;
  readonly agentsPort: number;
  readonly output: string[] = [];
  readonly #controlPlane: FakeControlPlane;
  #child: ChildProcess | undefined;

  constructor(controlPlane: FakeControlPlane, dataFolder: string, agentsPort: number) {
    this.#controlPlane = controlPlane;
    this.dataFolder = dataFolder;
    this.agentsPort = agentsPort;
  }

  start(args: string[] = []): void {
    const { url, listenerId, apiKey } = this.#controlPlane;
    const fixed = ['--agents-port', String(this.agentsPort), '--drain-seconds', '10', '--log-level', 'debug'];
    this.#child = spawn(process.execPath, ['bin/listener.ts', ...fixed, ...args], {
      cwd: root,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: childEnvironment({
        NODE_COMPILE_CACHE: compileCache,
        SLIPWAY_URL: url,
        SLIPWAY_LISTENER_ID: listenerId,
        SLIPWAY_API_KEY: apiKey,
        SLIPWAY_LISTENER_DATA_DIR: this.dataFolder,
      }),
    });
    endWithRun(this.#child);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => this.output.push(chunk.toString()));
    }
  }

  get stdin() {
    return this.#child?.stdin;
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.#child?.kill(signal);
    return this.exited();
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async exited(): Promise<number | null> {
    const child = this.#child;
    if (child !== undefined && this.isRunning) await once(child, 'exit');
    return child?.exitCode ?? null;
  }

  url(name: string, path = '/'): string {
    return `http://127.0.0.1:${this.agentsPort}/d/${name}${path}`;
  }

  /** Where a deployment has its files. */
  folderOf(deploymentId: string): string {
    return join(this.dataFolder, 'deployments', deploymentId);
  }

  /** The process that passes requests on; undefined while there is none. */
  proxyPid(): number | undefined {
    const own = this.#child?.pid;
    return readProcesses().find(
      ({ parentPid, command }) => parentPid === own && command.includes('proxy/main.ts'),
    )?.pid;
  }

  /**
   * The pids of processes whose working folder is inside the data folder: the agent servers, or only those of
   * one deployment.
   */
  serverPids(deploymentId?: string): number[] {
    const folder = deploymentId === undefined ? this.dataFolder : this.folderOf(deploymentId);
    return readProcesses()
      .filter(({ cwd }) => cwd.startsWith(folder))
      .map(({ pid }) => pid);
  }
}

/**
 * Starts a listener against a fake control plane and waits until it serves; it ends with the test, or when
 * `onEnd` has it end.
 */
export async function startProgram(
  controlPlane: FakeControlPlane,
  args: string[] = [],
  onEnd: OnEnd = onTestFinished,
): Promise<ListenerProgram> {
  const folder = await newFolder();
  const program = new ListenerProgram(controlPlane, join(folder, 'listener'), await freePort());
  onEnd(async () => {
    try {
      await program.end('SIGTERM');
      await until(() => program.serverPids().length === 0, {
        what: 'all servers of the listener to be gone',
      });
    } finally {
      await removeFolder(folder);
    }
  });
  program.start(args);
  const serves = () => {
    if (!program.isRunning) throw new Error(`the listener has ended: ${program.output.join('')}`);
    return program.output.join('').includes('serving agents at');
  };
  await until(serves, { what: () => `the listener to start: ${program.output.join('')}` });
  return program;
}

/** A tar file of these files; those in a folder of tools are programs. */
export async function tarballOf(files: Record<string, string>, gzip = true): Promise<Buffer> {
  const folder = await newFolder();
  try {
    const content = join(folder, 'content');
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(content, name, '..'), { recursive: true });
      await writeFile(join(content, name), text, { mode: name.includes('/.bin/') ? 0o755 : 0o644 });
    }
    const file = join(folder, 'artifact.tar');
    await tar.create({ file, cwd: content, gzip }, ['.']);
    return await readFile(file);
  } finally {
    await removeFolder(folder);
  }
}

/** The example server with another version text, as a tar file. */
export async function helloTarball(
  version: string,
  change: (text: string) => string = (text) => text,
): Promise<Buffer> {
  const files = await helloFiles(version);
  return tarballOf({
    'package.json': String(files['package.json']),
    'server.js': change(String(files['server.js'])),
  });
}

/** A tar file of a server that is one script. */
export function scriptTarball(script: string): Promise<Buffer> {
  return tarballOf({
    'package.json': JSON.stringify({ scripts: { start: 'node main.cjs' } }),
    'main.cjs': script,
  });
}

/** What a task says of a revision; those of one deployment share its name, which is no other's. */
export function specOf(
  controlPlane: FakeControlPlane,
  artifact: DeploySpec['artifact'],
  { deployment_id = randomUUID(), ...rest }: Partial<DeploySpec> = {},
): DeploySpec {
  const own = {
    deployment_id,
    deployment_name: `hello-${deployment_id.slice(0, 8)}`,
    tenant_id: controlPlane.tenantId,
    revision_id: randomUUID(),
    artifact,
  };
  return { ...plainSpec(own), ...rest };
}

/** Waits for the report of a task's end. */
export function completionOf(controlPlane: FakeControlPlane, taskId: string) {
  return until(() => controlPlane.completed.find((one) => one.task_id === taskId), {
    what: `task ${taskId} to be completed`,
  });
}

/** Deploys a tar file and waits until that has succeeded. */
export async function deploy(
  controlPlane: FakeControlPlane,
  tarball: Buffer,
  rest: Partial<DeploySpec> = {},
): Promise<DeploySpec> {
  const spec = specOf(controlPlane, controlPlane.addArtifact(tarball), rest);
  const completed = await completionOf(controlPlane, controlPlane.offerDeploy(spec));
  if (completed.outcome !== 'succeeded') throw new Error(`not deployed: ${completed.status_message}`);
  return spec;
}

/** The example server, which listens so much later than it starts. */
export const listensAfter = (milliseconds: number) => (text: string) =>
  text.replace('server.listen(Number', `await delay(${milliseconds});\nserver.listen(Number`);

type Listening = { controlPlane: FakeControlPlane; program: ListenerProgram };

/** Offers a deploy of this artifact, and waits until its server has been started, ready or not. */
export async function starting({ controlPlane, program }: Listening, tarball: Buffer) {
  const spec = specOf(controlPlane, controlPlane.addArtifact(tarball));
  const taskId = controlPlane.offerDeploy(spec);
  const pid = await until(() => program.serverPids(spec.deployment_id)[0], {
    what: 'the server to start',
  });
  return { spec, taskId, pid };
}
