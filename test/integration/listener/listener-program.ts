import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as tar from 'tar';
import { onTestFinished } from 'vitest';
import type { DeploySpec } from '../../../lib/contract/listener-protocol.ts';
import { childEnvironment } from '../../../lib/processes/environment.ts';
import { compileCache } from '../../support/program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import type { FakeControlPlane } from './fake-control-plane.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
export const WAIT = { timeoutMs: 20_000 };

async function unusedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

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

  async exited(): Promise<number | null> {
    const child = this.#child;
    if (child !== undefined && child.exitCode === null && child.signalCode === null)
      await once(child, 'exit');
    return child?.exitCode ?? null;
  }

  url(name: string, path = '/'): string {
    return `http://127.0.0.1:${this.agentsPort}/d/${name}${path}`;
  }

  /** The pids of processes whose working folder is inside the data folder: the agent servers. */
  async serverPids(): Promise<number[]> {
    const { readdir, readlink } = await import('node:fs/promises');
    const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const found = await Promise.all(
      names.map(async (name) => {
        const folder = await readlink(`/proc/${name}/cwd`).catch(() => '');
        return folder.startsWith(this.dataFolder) ? [Number(name)] : [];
      }),
    );
    return found.flat();
  }
}

/** Starts a listener against a fake control plane; both end with the test. */
export async function startProgram(
  controlPlane: FakeControlPlane,
  args: string[] = [],
): Promise<ListenerProgram> {
  const dataFolder = join(await temporaryFolder(), 'listener');
  const program = new ListenerProgram(controlPlane, dataFolder, await unusedPort());
  program.start(args);
  onTestFinished(async () => {
    await program.end('SIGTERM');
    await until(async () => (await program.serverPids()).length === 0, {
      ...WAIT,
      what: 'all servers of the listener to be gone',
    });
  });
  return program;
}

/** A tar file of these files. */
export async function tarballOf(files: Record<string, string>, gzip = true): Promise<Buffer> {
  const folder = await temporaryFolder();
  const content = join(folder, 'content');
  await mkdir(content);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(content, name, '..'), { recursive: true });
    await writeFile(join(content, name), text);
  }
  const file = join(folder, 'artifact.tar');
  await tar.create({ file, cwd: content, gzip }, ['.']);
  return readFile(file);
}

/** The example server with another version text, as a tar file. */
export async function helloTarball(
  version: string,
  change: (text: string) => string = (text) => text,
): Promise<Buffer> {
  const example = join(root, 'examples', 'hello-server');
  const server = await readFile(join(example, 'server.js'), 'utf8');
  return tarballOf({
    'package.json': await readFile(join(example, 'package.json'), 'utf8'),
    'server.js': change(server.replace("VERSION = 'v1'", `VERSION = '${version}'`)),
  });
}

/** A tar file of a server that is one script. */
export function scriptTarball(script: string): Promise<Buffer> {
  return tarballOf({
    'package.json': JSON.stringify({ scripts: { start: 'node main.cjs' } }),
    'main.cjs': script,
  });
}

export function specOf(
  controlPlane: FakeControlPlane,
  artifact: DeploySpec['artifact'],
  rest: Partial<DeploySpec> = {},
): DeploySpec {
  return {
    deployment_id: randomUUID(),
    deployment_name: 'hello',
    tenant_id: controlPlane.tenantId,
    revision_id: randomUUID(),
    epoch: 1,
    artifact,
    graph_config_path: 'langgraph.json',
    environment: [],
    secret_references: [],
    resource_spec: {},
    k8s_namespace: null,
    custom_url: null,
    ...rest,
  };
}

/** Waits for the report of a task's end. */
export function completionOf(controlPlane: FakeControlPlane, taskId: string) {
  return until(() => controlPlane.completed.find((one) => one.task_id === taskId), {
    ...WAIT,
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
