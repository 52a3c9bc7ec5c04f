import { existsSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Processes } from '../../processes/run-command.ts';
import { installPostgres } from './binaries.ts';
import { type PostgresClient, runningPostgres } from './client.ts';
import { deploymentsIn, dumpDatabase, hasDatabase, isInServer, waitingRestores } from './databases.ts';
import { type DatabaseFolders, databaseFolders, knownFolder } from './folders.ts';
import { MachinePostgres, type MachinePostgresOptions } from './machine.ts';

/** It starts with the first durable agent, and again after a crash. */
const WAIT_MILLISECONDS = 60_000;
const LOOK_MILLISECONDS = 250;

export type DatabaseBackup = Omit<MachinePostgresOptions, 'log'> & {
  /** Whether the listener runs on the data folder: then its PostgreSQL is asked, and none is started. */
  isRunning: boolean;
};

/**
 * Writes the database of each deployment into a file `<deployment id>.dump` in `to`, each as it is at one
 * moment. Agents may use them meanwhile. Throws what stood in the way.
 */
export async function backUpDatabases(
  options: DatabaseBackup,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  const folders = await databaseFolders(options.dataFolder);
  const inServer = await deploymentsIn(folders);
  const waiting = await waitingRestores(folders);
  await mkdir(to, { mode: 0o700 });
  for (const id of waiting) await copyFile(join(folders.restores, `${id}.dump`), join(to, `${id}.dump`));
  const ids = inServer.filter((id) => !waiting.includes(id));
  if (ids.length === 0) return;
  const dumpAll = async (server: PostgresClient) => {
    for (const id of ids) await dumpUnlessGone(server, folders, id, to, signal);
  };
  if (options.isRunning) return dumpAll(await runningServer(options, signal));
  const own = new MachinePostgres({ ...options, log: { info: ignore, warn: ignore, error: ignore } });
  try {
    await own.use(dumpAll);
  } finally {
    await own.stop();
  }
}

const ignore = (): void => undefined;

async function dumpUnlessGone(
  server: PostgresClient,
  folders: DatabaseFolders,
  deploymentId: string,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  // A deployment that is just being made, or deleted, has a password and no database.
  if (!(await isInServer(server, deploymentId))) return;
  await dumpDatabase(server, deploymentId, join(to, `${deploymentId}.dump`), signal).catch(
    (error: unknown) => {
      if (hasDatabase(folders, deploymentId)) throw error;
    },
  );
}

async function runningServer(
  { processes, dataFolder, programs }: DatabaseBackup & { processes: Processes },
  signal: AbortSignal,
): Promise<PostgresClient> {
  const folder = (await knownFolder(dataFolder)) ?? '';
  const place = {
    processes,
    folder,
    programs: await (programs?.() ?? installPostgres(processes, folder, signal)),
  };
  const deadline = Date.now() + WAIT_MILLISECONDS;
  for (;;) {
    const server = existsSync(folder) ? await runningPostgres(place) : undefined;
    if (server !== undefined) return server;
    if (Date.now() > deadline)
      throw new Error(
        `The PostgreSQL in ${folder} does not answer, though Slipway runs and agents have databases there. Look into Slipway's log; with Slipway stopped, a backup starts PostgreSQL by itself.`,
      );
    await delay(LOOK_MILLISECONDS, undefined, { signal });
  }
}
