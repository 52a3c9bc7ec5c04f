import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { Cdk, outputOf } from '../support/aws/cdk.ts';
import { openGateway } from '../support/aws/gateway.ts';
import { type Admin, adminOf } from '../support/aws/programs.ts';
import { readProcesses } from '../support/programs/processes.ts';
import { expectApi, type Installation } from '../support/programs/program.ts';
import { timed } from '../support/run/progress.ts';
import { awsEnvironment } from './aws-environment.ts';
import { BuildService } from './builds.ts';
import { type Emulator, startEmulator } from './emulator.ts';

/** The emulator's account. */
export const ACCOUNT = '000000000000';
/**
 * An installation whose data goes with it, and that keeps few artifacts, so that some are deleted. Its issuer
 * of tokens of jobs is nowhere (RFC 6761).
 */
const CONTEXT = {
  environment: 'test',
  removal: 'destroy',
  keptArtifacts: '1',
  oidcIssuers: 'https://ci.invalid',
};

/** What leads a program to the emulator. */
export const variablesOf = ({ endpoint }: Emulator): Record<string, string> => ({
  ...awsEnvironment,
  AWS_ENDPOINT_URL: endpoint,
});

/**
 * An emulator with nothing deployed to it yet. All that is started here carries `folder` in its environment.
 */
export type Ground = { folder: string; processes: ProcessSupervisor; emulator: Emulator; cdk: Cdk };

export async function openGround(more: Record<string, string> = {}): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-aws-'));
  const processes = new ProcessSupervisor();
  const emulator = await timed('The emulator starts', () => startEmulator(processes, folder));
  // Its home is here too, so that it neither reads nor writes the user's own files.
  const variables = { ...variablesOf(emulator), HOME: folder, TMPDIR: folder };
  const outputFolder = join(folder, 'cdk.out');
  const app = {
    context: { ...CONTEXT, ...more },
    account: ACCOUNT,
    region: awsEnvironment.AWS_REGION,
    variables,
    outputFolder,
  };
  return { folder, processes, emulator, cdk: new Cdk(processes, app) };
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
  admin: Admin;
  closeGateway(): Promise<void>;
};

/**
 * Reaches what `cdk deploy` printed the outputs of, and makes the first organization, tenant and key there.
 */
export async function enter({ processes, emulator }: Ground, printed: string): Promise<Deployed> {
  const tableName = outputOf(printed, 'TableName');
  const { baseUrl, close } = await openGateway(outputOf(printed, 'ApiUrl'));
  const admin = adminOf(processes, variablesOf(emulator), tableName);
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
