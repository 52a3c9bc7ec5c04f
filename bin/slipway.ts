import { once } from 'node:events';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { systemClock } from '../lib/adapters/clock.ts';
import { commands } from '../lib/cli/commands/table.ts';
import { deployedTable } from '../lib/cli/deployed-table.ts';
import { Obstacle } from '../lib/cli/explain.ts';
import { main, type OpenTable, type World } from '../lib/cli/main.ts';
import type { InstallationPlace } from '../lib/cli/options.ts';
import { thisMachine } from '../lib/cli/shell/machine.ts';
import { isNamedIn, runCommandLine } from '../lib/cli/shell/main.ts';
import { startProcessListener } from '../lib/compute/process/start.ts';
import { RELEASE_VERSION } from '../lib/contract/version.ts';
import { runningTable } from '../lib/embedded/data-folder/running-database.ts';
import { runningAccess } from '../lib/embedded/runtime/identity.ts';
import { createLog } from '../lib/listener/log.ts';
import { readOptions } from '../lib/listener/options.ts';
import { embeddedRows } from '../lib/settings/embedded.ts';
import { schemasOf } from '../lib/settings/row.ts';

async function open(place: InstallationPlace): Promise<OpenTable> {
  if (place.kind === 'deployed') return deployedTable(place.tableName, place.region);
  const table = await runningTable(resolve(place.dataFolder));
  if (table === undefined) throw new Obstacle(notRunning(place.dataFolder));
  return { table, close: () => table.client.destroy() };
}

const accessTo: World['accessTo'] = async (dataFolder) => {
  const access = await runningAccess(resolve(dataFolder));
  if (access === undefined) throw new Obstacle(notRunning(dataFolder));
  return access;
};

const notRunning = (dataFolder: string): string =>
  `Slipway does not run on ${dataFolder}. Start it there with npm start, and run this again beside it.`;

const listen: World['listen'] = ({ url, listenerId, apiKey, dataFolder, agentsPort }) => {
  const args = ['--url', url, '--listener-id', listenerId, '--data-dir', dataFolder];
  const all = [...args, '--agents-port', String(agentsPort), '--log-level', 'warn'];
  const options = readOptions(all, { SLIPWAY_API_KEY: apiKey });
  if (options.driver !== 'process') throw new Error('No driver was named, and the default is not process');
  return startProcessListener(options, createLog('warn'));
};

/** What is in the way there is said in whole sentences. */
const asObstacle = (error: unknown): never => {
  throw new Obstacle(error instanceof Error ? error.message : String(error));
};

/** The clients of all these services are much to load, and for these commands alone. */
const installations: World['installations'] = {
  settings: async (at) => {
    const { shownSettings } = await import('../lib/infra/remembered/shown.ts');
    return shownSettings(at).catch(asObstacle);
  },
  preflight: async (at, compute) => {
    const { shownPreflight } = await import('../lib/infra/preflight/shown.ts');
    return shownPreflight(at, compute).catch(asObstacle);
  },
};

/** Both can be ended by a person, with nothing left half done. */
async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'])
    process.once(name, () => ending.abort(new Obstacle('It was ended before it was done; nothing is left.')));
  return work(ending.signal);
}

const postgresUser = () => schemasOf(embeddedRows).postgresUser.parse(process.env.SLIPWAY_POSTGRES_USER);

/** What keeps data on a machine is much to load, and for these commands alone. */
const backups: World['backups'] = {
  backUp: (options) =>
    untilInterrupted(async (signal) => {
      const { backUp } = await import('../lib/backup/back-up.ts');
      return backUp({ ...options, postgresUser: postgresUser(), signal }).catch(asObstacle);
    }),
  restore: (options) =>
    untilInterrupted(async (signal) => {
      const { restore } = await import('../lib/backup/restore.ts');
      return restore({ ...options, postgresUser: postgresUser(), signal }).catch(asObstacle);
    }),
};

/** CloudFront tries three times for ten seconds to reach what is behind it, before it says that it cannot. */
const ASK_TIMEOUT_MILLISECONDS = 45_000;

const ask: World['ask'] = async (url) => {
  const answer = await fetch(url, { signal: AbortSignal.timeout(ASK_TIMEOUT_MILLISECONDS) });
  return { status: answer.status, body: await answer.text() };
};

const args = process.argv.slice(2);
const operators = (): Promise<number> =>
  main(args, {
    clock: systemClock,
    environment: process.env,
    isFolder: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false,
    open,
    accessTo,
    installations,
    backups,
    functionsOf: (region) => new LambdaClient(region === undefined ? {} : { region }),
    listen,
    ask,
    untilAsked: async () =>
      void (await Promise.race(['SIGINT', 'SIGTERM'].map((name) => once(process, name)))),
    write: (line) => console.log(line),
    writeError: (line) => console.error(line),
  });

/** The commands for users are those of their own program; all others need AWS, or this machine's data. */
process.exitCode = isNamedIn(commands, args)
  ? await runCommandLine(commands, args, thisMachine(RELEASE_VERSION))
  : await operators();
