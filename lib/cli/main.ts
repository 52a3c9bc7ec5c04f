import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { Clock } from '../adapters/clock.ts';
import { createClient } from '../client/client.ts';
import { createListenerKey, createTenantKey } from '../features/api-keys/create-as-operator.ts';
import { bootstrap } from '../features/tenants/bootstrap.ts';
import type { Table } from '../store/table.ts';
import { agentsUrlOf } from './agents-url.ts';
import { type Backups, onBackup } from './backup.ts';
import type { BackupCommand } from './backup-options.ts';
import { runCopyThreads } from './copy-threads/command.ts';
import type { CopyThreads } from './copy-threads/options.ts';
import { explain, Obstacle } from './explain.ts';
import { fargateAgent, NOT_MANAGED } from './first-agent/fargate-agent.ts';
import { firstAgent, type Listen } from './first-agent/first-agent.ts';
import type { Ask } from './first-agent/front.ts';
import { type Installations, onInstallation } from './installation.ts';
import type { InstallationCommand } from './installation-options.ts';
import { type CliCommand, type InstallationPlace, readCommand, type Surroundings } from './options.ts';
import { OptionsError } from './options-error.ts';
import { USAGE } from './usage.ts';
import { type Paused, pauseWriters, resumeWriters } from './writers.ts';

export type OpenTable = { table: Table; close(): void };

/** What the commands need of the world. */
export type World = Surroundings & {
  /** Runs the listener of this machine. */
  listen(as: Parameters<Listen>[0] & { dataFolder: string; agentsPort: number }): ReturnType<Listen>;
  ask: Ask;
  /** Resolves when a person has asked for the end. */
  untilAsked(): Promise<void>;
  clock: Clock;
  /** Gives the table of a place. Throws `Obstacle` when it cannot be reached. */
  open(place: InstallationPlace): Promise<OpenTable>;
  /** Where the embedded runtime on a data folder answers. Throws `Obstacle` when none runs. */
  accessTo(dataFolder: string): Promise<{ url: string; apiKey: string }>;
  /** The installations of an account. */
  installations: Installations;
  backups: Backups;
  /** The functions of a region; without one, of the SDK's own choice. */
  functionsOf(region: string | undefined): LambdaClient;
  write(line: string): void;
  writeError(line: string): void;
};

type Work = Exclude<CliCommand, { kind: 'help' }>;
/** What is printed: lines for people, and the same as JSON. */
export type CommandResult = {
  lines: [label: string, value: string][];
  json: Record<string, string>;
  advice: string;
};

/** Runs one command. Answers the exit code: 0, 1 after a failure, 2 for wrong arguments. */
export async function main(args: string[], world: World): Promise<number> {
  const command = understood(args, world);
  if (command === undefined) return 2;
  if (command.kind === 'help') {
    world.write(USAGE);
    return 0;
  }
  try {
    const made = await run(command, world);
    if (made === undefined) return 0;
    show(made, command.json, world);
    return 0;
  } catch (error) {
    world.writeError(explain(error, 'place' in command ? command.place : undefined));
    return 1;
  }
}

function understood(args: string[], world: World): CliCommand | undefined {
  try {
    return readCommand(args, world);
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    world.writeError(`${error.message}\n\n${USAGE}`);
    return undefined;
  }
}

async function run(command: Work, world: World): Promise<CommandResult | undefined> {
  if (command.kind === 'console') return consoleLink(command, world);
  if (command.kind === 'copy-threads') return copied(command, world);
  if (isOnInstallation(command)) return onInstallation(command, world);
  if (isOnBackup(command)) return onBackup(command, world);
  return isOnFunctions(command) ? onFunctions(command, world) : onTable(command, world);
}

const isOnInstallation = (command: Work): command is InstallationCommand =>
  command.kind === 'settings' || command.kind === 'preflight';
const isOnBackup = (command: Work): command is BackupCommand =>
  command.kind === 'backup' || command.kind === 'restore';

type OnApi = Extract<Work, { kind: 'console' }>;

async function consoleLink({ at }: OnApi, world: World): Promise<CommandResult> {
  const api =
    'url' in at
      ? { url: at.url, apiKey: world.environment.SLIPWAY_API_KEY ?? '' }
      : await world.accessTo(at.dataFolder);
  const link = await createClient({ ...api, credentials: api }).ask('POST /v2/console-links', {});
  return {
    lines: [['Console', link.url]],
    json: link,
    advice: `It signs in once, until ${link.expires_at}, with the role of the key that it was made with.`,
  };
}

async function copied(command: CopyThreads, world: World): Promise<CommandResult> {
  const say = command.json ? world.writeError : world.write;
  const { result, left } = await runCopyThreads(command, say);
  if (left === undefined) return result;
  // What stays is no success: scripts are to see it.
  show(result, command.json, world);
  throw new Obstacle(left);
}

type OnFunctions = Extract<Work, { kind: 'pause' | 'resume' }>;
const isOnFunctions = (command: Work): command is OnFunctions =>
  command.kind === 'pause' || command.kind === 'resume';

async function onFunctions({ kind, place }: OnFunctions, world: World): Promise<CommandResult> {
  const lambda = world.functionsOf(place.region);
  try {
    return kind === 'pause'
      ? paused(await pauseWriters(lambda, place.tableName), place)
      : resumed(await resumeWriters(lambda, place.tableName));
  } finally {
    lambda.destroy();
  }
}

const paused = (
  { functions, secondsUntilQuiet }: Paused,
  { tableName, region }: OnFunctions['place'],
): CommandResult => ({
  lines: [['Paused', `${functions} functions`]],
  json: { functions: String(functions), seconds_until_quiet: String(secondsUntilQuiet) },
  advice: [
    `What runs already may write for ${secondsUntilQuiet} s more. Clients get 503. A revision whose next step falls into the pause loses its execution; the sweep takes it up once all is started again:`,
    `  npm run slipway -- admin resume --table ${tableName}${region === undefined ? '' : ` --region ${region}`}`,
    'After a restore and its deploy, name the new table instead.',
  ].join('\n'),
});

const resumed = (functions: number): CommandResult => ({
  lines: [['Resumed', `${functions} functions`]],
  json: { functions: String(functions) },
  advice: 'The next sweep, within a minute, goes on with what waits.',
});

async function onTable(
  command: Exclude<Work, OnFunctions | OnApi | CopyThreads | InstallationCommand | BackupCommand>,
  world: World,
): Promise<CommandResult | undefined> {
  const { table, close } = await world.open(command.place);
  try {
    const deps = { table, clock: world.clock };
    switch (command.kind) {
      case 'first-agent':
        return await runFirstAgent(deps, command, world);
      case 'fargate-agent':
        return await runFargateAgent(deps, command, world);
      case 'bootstrap':
        return await bootstrapped(deps, command);
      case 'key':
        return await tenantKey(deps, command);
      case 'listener-key':
        return await listenerKey(deps, command);
    }
  } finally {
    close();
  }
}

type Deps = Parameters<typeof bootstrap>[0];
const ONCE = 'The key is shown this once; only its hash is stored.';

/** Says how it goes as it goes, and stays for as long as the agent is wanted. */
async function runFirstAgent(
  deps: Deps,
  command: Work & { kind: 'first-agent' },
  world: World,
): Promise<undefined> {
  const { listenerFolder: dataFolder, agentsPort, url: api } = command;
  const listen: Listen = (as) => world.listen({ ...as, dataFolder, agentsPort });
  const { url, stop } = await firstAgent(deps, command, listen, world.write);
  world.write(`It answers: ${url ?? 'at no address that its listener knows of'}`);
  world.writeError(
    `${ONCE} The agent runs until Ctrl-C; later: SLIPWAY_API_KEY=<the listener's key> npm run listener -- --url ${api} --listener-id <its id> --data-dir ${dataFolder}`,
  );
  await world.untilAsked();
  await stop();
}

/** Throws `Obstacle` where the installation runs no agents. undefined: these credentials may not ask. */
async function whereAgentsAnswer(
  { place: { tableName, region } }: Work & { kind: 'fargate-agent' },
  world: World,
): Promise<string | undefined> {
  const lambda = world.functionsOf(region);
  try {
    const url = await agentsUrlOf(lambda, tableName);
    if (url === undefined) throw new Obstacle(NOT_MANAGED);
    return url;
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AccessDeniedException')) throw error;
    world.write(
      'These credentials may not list functions: whether requests reach agents shows after the deploy.',
    );
    return undefined;
  } finally {
    lambda.destroy();
  }
}

/** Says how it goes as it goes; what runs in the account needs nobody to stay. */
const OPEN =
  'Agents are open to the internet: whoever knows the address can ask this one, unless the settings agentAllowedCidrs or agentWebAclArn keep them out (docs/fargate.md#who-may-ask).';

async function runFargateAgent(
  deps: Deps,
  command: Work & { kind: 'fargate-agent' },
  world: World,
): Promise<undefined> {
  const agentsUrl = await whereAgentsAnswer(command, world);
  const { id, url } = await fargateAgent(deps, { ...command, agentsUrl }, world.ask, world.write);
  world.write(`It answers: ${url}`);
  world.write(OPEN);
  world.writeError(
    [
      `${ONCE} With it in the variable KEY:`,
      `  curl -sS ${url}/`,
      `  SLIPWAY_API_KEY=$KEY npm run slipway -- console --url ${command.url}`,
      `  curl -sS -X DELETE ${command.url}/v2/deployments/${id} -H "X-Api-Key: $KEY"   # ends the agent, and what it costs`,
    ].join('\n'),
  );
}

async function bootstrapped(deps: Deps, command: Work & { kind: 'bootstrap' }): Promise<CommandResult> {
  const { organization, tenant, place } = command;
  const made = await bootstrap(deps, { organization, tenant });
  const shared =
    place.kind === 'embedded'
      ? ' Builds and agents of all tenants run as the same user of this machine; this tenant needs a listener of its own.'
      : '';
  return {
    lines: [
      ['Organization', `${organization} (${made.organizationId})`],
      ['Tenant', `${tenant} (${made.tenantId})`],
      ['API key', made.apiKey],
    ],
    json: {
      organization_id: made.organizationId,
      tenant_id: made.tenantId,
      user_id: made.userId,
      api_key: made.apiKey,
    },
    advice: `${ONCE} Requests carry it as X-Api-Key.${shared}`,
  };
}

async function tenantKey(deps: Deps, command: Work & { kind: 'key' }): Promise<CommandResult> {
  const { tenantId, role, organizationWide } = command;
  const { apiKey, userId } = await createTenantKey(deps, command);
  return {
    lines: [
      ['Tenant', organizationWide ? `all of the organization of ${tenantId}` : tenantId],
      ['Role', role],
      ['API key', apiKey],
    ],
    json: { tenant_id: tenantId, role, user_id: userId, api_key: apiKey },
    advice: `${ONCE} Requests carry it as X-Api-Key${organizationWide ? ', and the id of their tenant as X-Tenant-Id' : ''}.`,
  };
}

async function listenerKey(deps: Deps, command: Work & { kind: 'listener-key' }): Promise<CommandResult> {
  const { tenantId, listenerId } = command;
  const key = await createListenerKey(deps, { tenantId, listenerId });
  return {
    lines: [
      ['Listener', listenerId],
      ['API key', key],
    ],
    json: { tenant_id: tenantId, listener_id: listenerId, api_key: key },
    advice: `${ONCE} The listener reads it from SLIPWAY_API_KEY.`,
  };
}

/** The advice goes beside the output, so that what is piped on is the output alone. */
function show({ lines, json, advice }: CommandResult, asJson: boolean, { write, writeError }: World): void {
  if (asJson) write(JSON.stringify(json));
  else {
    const width = Math.max(...lines.map(([label]) => label.length)) + 2;
    for (const [label, value] of lines) write(label.padEnd(width) + value);
    writeError(advice);
  }
}
