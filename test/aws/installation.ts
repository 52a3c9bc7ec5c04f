import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment } from '../../lib/processes/environment.ts';
import { freePort } from '../../lib/processes/free-port.ts';
import { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { readProcesses } from '../support/programs/processes.ts';
import { expectApi, type Installation } from '../support/programs/program.ts';
import { run } from '../support/programs/python-tools.ts';
import { awsEnvironment } from './aws-call.ts';
import { BuildService } from './builds.ts';
import { Cdk, outputOf } from './cdk.ts';
import { type Emulator, root, startEmulator } from './emulator.ts';
import { openGateway } from './gateway.ts';
import { say, timed } from './progress.ts';

const LISTENER_STOP_GRACE_MS = 15_000;

/**
 * An emulator with nothing deployed to it yet. All that is started here carries `folder` in its environment.
 */
export type Ground = { folder: string; processes: ProcessSupervisor; emulator: Emulator; cdk: Cdk };

export async function openGround(): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-aws-'));
  const processes = new ProcessSupervisor();
  const emulator = await timed('The emulator starts', () => startEmulator(processes, folder));
  return { folder, processes, emulator, cdk: new Cdk(processes, emulator, folder) };
}

/**
 * Ends the emulator and what it started, removes the folder, and gives the command of each process that was
 * left (there should be none).
 */
export async function closeGround({ folder, processes, emulator }: Ground): Promise<string[]> {
  await emulator.stop();
  await processes.close();
  const left = readProcesses().filter(
    ({ environment, cwd }) => environment.includes(folder) || cwd.startsWith(folder),
  );
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  return left.map(({ command }) => command);
}

/** What was deployed, as its users reach it. */
export type Deployed = Installation & {
  tableName: string;
  builds: BuildService;
  /** Runs the command line that administrators have, and gives what it printed as JSON. */
  admin(...args: string[]): Promise<Record<string, string>>;
  closeGateway(): Promise<void>;
};

/** The command line of administrators, on the installation with this table. */
export function adminOf(
  { processes, emulator }: Pick<Ground, 'processes' | 'emulator'>,
  tableName: string,
): Deployed['admin'] {
  const environment = { ...awsEnvironment, AWS_ENDPOINT_URL: emulator.endpoint };
  return async (...args) => {
    const words = [join(root, 'bin/slipway.ts'), 'admin', ...args, '--table', tableName, '--json'];
    return JSON.parse(await run(processes, process.execPath, words, { environment }));
  };
}

/**
 * Reaches what `cdk deploy` printed the outputs of, and makes the first organization, tenant and key there.
 */
export async function enter({ processes, emulator }: Ground, printed: string): Promise<Deployed> {
  const tableName = outputOf(printed, 'TableName');
  const { baseUrl, close } = await openGateway(outputOf(printed, 'ApiUrl'));
  const admin = adminOf({ processes, emulator }, tableName);
  const { api_key: apiKey = '', tenant_id: tenantId = '' } = await admin('bootstrap');
  const builds = new BuildService(emulator);
  return { baseUrl, apiKey, tenantId, tableName, builds, admin, closeGateway: close };
}

/** The same installation after its API was made anew, as `cdk deploy` has printed. */
export async function reenter(deployed: Deployed, printed: string): Promise<Deployed> {
  await deployed.closeGateway();
  const { baseUrl, close } = await openGateway(outputOf(printed, 'ApiUrl'));
  return { ...deployed, baseUrl, tableName: outputOf(printed, 'TableName'), closeGateway: close };
}

export type Registered = { id: string; apiKey: string };

/** Makes a listener and its key. */
export async function register(deployed: Deployed, body: object): Promise<Registered> {
  const { id } = await expectApi<{ id: string }>(deployed, 'POST', '/v2/listeners', body, 201);
  const where = ['--tenant-id', deployed.tenantId, '--listener-id', id];
  const { api_key: apiKey = '' } = await deployed.admin('create-listener-key', ...where);
  return { id, apiKey };
}

/** Starts the listener program as somebody runs it on a machine of their own. */
export async function startListener(
  { folder, processes }: Ground,
  { baseUrl }: Deployed,
  { id, apiKey }: Registered,
): Promise<{ stop(): Promise<void> }> {
  const dataFolder = join(folder, 'listener');
  await mkdir(dataFolder);
  const group = processes.start({
    command: process.execPath,
    args: [join(root, 'bin/listener.ts'), '--agents-port', String(await freePort()), '--drain-seconds', '5'],
    cwd: root,
    environment: childEnvironment({
      SLIPWAY_URL: baseUrl,
      SLIPWAY_LISTENER_ID: id,
      SLIPWAY_API_KEY: apiKey,
      SLIPWAY_LISTENER_DATA_DIR: dataFolder,
    }),
    onLine: ({ line }) => say(`listener: ${line}`),
  });
  return { stop: () => processes.stop(group, LISTENER_STOP_GRACE_MS) };
}
