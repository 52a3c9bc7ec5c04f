import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { Cdk, outputOf } from '../support/aws/cdk.ts';
import { openGateway } from '../support/aws/gateway.ts';
import { type Admin, adminOf, startListener } from '../support/aws/programs.ts';
import { expectApi, type Installation } from '../support/programs/program.ts';
import { type Account, awsVariables } from './account.ts';
import type { Compute } from './options.ts';

const NAME_BYTES = 4;

/** As long as `--clean` takes. */
export const newName = (): string => `verify-${randomBytes(NAME_BYTES).toString('hex')}`;

/** An environment of our own in an account, and what runs for it on this machine. */
export type Environment = {
  name: string;
  account: Account;
  processes: ProcessSupervisor;
  cdk: Cdk;
  folder: string;
};

/** Files of this run are in `folder`, which may be that of an earlier try at the same environment. */
export function openEnvironment(
  account: Account,
  name: string,
  folder: string,
  compute?: Compute,
): Environment {
  const processes = new ProcessSupervisor();
  const { id, region } = account;
  const cdk = new Cdk(processes, {
    context: { environment: name, removal: 'destroy', ...(compute !== undefined && { compute }) },
    account: id,
    region,
    variables: { ...awsVariables(), AWS_REGION: region },
    outputFolder: join(folder, 'cdk.out'),
  });
  return { name, account, processes, cdk, folder };
}

/** The API of a deployed environment. */
export type Api = { baseUrl: string; tableName: string; close(): Promise<void> };

/** Reaches what `cdk deploy` printed the outputs of. */
export async function reach(printed: string): Promise<Api> {
  const apiUrl = outputOf(printed, 'ApiUrl').replace(/\/+$/, '');
  const tableName = outputOf(printed, 'TableName');
  // Emulators give out names under .localhost, which not every resolver knows.
  if (new URL(apiUrl).hostname.endsWith('.localhost')) return { tableName, ...(await openGateway(apiUrl)) };
  return { baseUrl: apiUrl, tableName, close: async () => {} };
}

export type Entered = Installation & { listenerId: string; listenerKey: string };

/** The command line of administrators, on this table. */
export const adminIn = ({ processes, account }: Environment, tableName: string): Admin =>
  adminOf(processes, { ...awsVariables(), AWS_REGION: account.region }, tableName);

/** Makes the first organization, tenant and key. */
export async function bootstrap(
  environment: Environment,
  { baseUrl, tableName }: Api,
): Promise<Installation> {
  const { api_key: apiKey = '', tenant_id: tenantId = '' } = await adminIn(
    environment,
    tableName,
  )('bootstrap');
  return { baseUrl, apiKey, tenantId };
}

/** The same, and registers this machine. */
export async function enter(environment: Environment, api: Api): Promise<Entered> {
  const installation = await bootstrap(environment, api);
  const admin = adminIn(environment, api.tableName);
  const body = { compute_type: 'process', compute_id: 'verify', compute_config: {} };
  const { id: listenerId } = await expectApi<{ id: string }>(
    installation,
    'POST',
    '/v2/listeners',
    body,
    201,
  );
  const where = ['--tenant-id', installation.tenantId, '--listener-id', listenerId];
  const { api_key: listenerKey = '' } = await admin('create-listener-key', ...where);
  return { ...installation, listenerId, listenerKey };
}

/** Runs the listener of this machine; what it runs stays in the same folder from one to the next. */
export const listen = (environment: Environment, { baseUrl, listenerId, listenerKey }: Entered) =>
  startListener(environment.processes, {
    baseUrl,
    id: listenerId,
    apiKey: listenerKey,
    dataFolder: join(environment.folder, 'listener'),
  });
