import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { RESTORES_FOLDER } from '../compute/postgres/folders.ts';
import { MachinePostgres } from '../compute/postgres/machine.ts';
import { makeDataFolder, RESTORING } from '../processes/data-folder.ts';
import type { ProcessSupervisor } from '../processes/supervisor.ts';
import type { BackupMade, BackupOptions } from './back-up.ts';
import { copyBytes } from './copy.ts';
import { BackupError, DATA, DATABASES, type Entry, type Manifest, readManifest } from './manifest.ts';
import { listenerFolder, withProcesses } from './place.ts';

export type RestoreOptions = Omit<BackupOptions, 'to'> & {
  /** A backup. */
  from: string;
};

/**
 * Restores a backup into an empty folder, the databases of agents among it. Throws BackupError, with nothing
 * restored, for a folder that is not empty and for a backup that is not whole.
 */
export async function restore(options: RestoreOptions): Promise<BackupMade & Pick<Manifest, 'made_at'>> {
  const [from, dataFolder] = [resolve(options.from), resolve(options.dataFolder)];
  const { kind, entries, made_at } = await readManifest(from);
  if (existsSync(dataFolder) && readdirSync(dataFolder).length > 0)
    throw new BackupError(
      `${dataFolder} is not empty, and a restore changes nothing that is there. Name an empty folder, or one that is not there yet, with --data-dir.`,
    );
  await verify(from, entries, options.signal);
  makeDataFolder(dataFolder, '--data-dir');
  let isWritten = false;
  try {
    await withProcesses({ kind, dataFolder, isShared: false }, async (processes) => {
      const listener = listenerFolder(kind, dataFolder);
      await writeAll({ from, dataFolder, listener, entries, signal: options.signal });
      isWritten = true;
      if (existsSync(join(listener, RESTORES_FOLDER))) await restoreDatabases(options, listener, processes);
    });
  } finally {
    if (!isWritten)
      for (const name of readdirSync(dataFolder))
        await rm(join(dataFolder, name), { recursive: true, force: true });
  }
  const files = entries.filter((entry) => 'sha256' in entry);
  return {
    made_at,
    files: files.length,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    databases: files.filter(({ path }) => path.startsWith(`${DATABASES}/`)).length,
  };
}

/** Before anything is written: a backup that was cut or changed is none. */
async function verify(from: string, entries: readonly Entry[], signal: AbortSignal): Promise<void> {
  for (const entry of entries) {
    signal.throwIfAborted();
    if (!('sha256' in entry)) continue;
    const found = await copyBytes(join(from, entry.path)).catch(() => undefined);
    if (found?.sha256 !== entry.sha256)
      throw new BackupError(
        `${join(from, entry.path)} is ${found === undefined ? 'missing, or cannot be read' : 'not what the backup was made with'}: the backup was cut, or is damaged. Nothing was restored.`,
      );
  }
}

type Writing = {
  from: string;
  dataFolder: string;
  /** The listener's folder in it. */
  listener: string;
  entries: readonly Entry[];
  signal: AbortSignal;
};

/** Nothing starts on the folder until all of it is there: what is cut off leaves a file that says so. */
async function writeAll(writing: Writing): Promise<void> {
  const { dataFolder } = writing;
  const marker = join(dataFolder, RESTORING);
  await writeFile(marker, '', { mode: 0o600 });
  await writeEntries(writing);
  await rm(marker);
}

async function writeEntries({ from, dataFolder, listener, entries, signal }: Writing): Promise<void> {
  const target = (path: string): string =>
    path.startsWith(`${DATABASES}/`)
      ? join(listener, RESTORES_FOLDER, path.slice(DATABASES.length + 1))
      : join(dataFolder, path.slice(DATA.length + 1));
  for (const entry of entries) {
    signal.throwIfAborted();
    const to = target(entry.path);
    if ('folder' in entry) await mkdir(to, { recursive: true, mode: 0o700 });
    else if ('link' in entry) await symlink(entry.link, to);
    else {
      if (entry.path.startsWith(`${DATABASES}/`))
        await mkdir(join(listener, RESTORES_FOLDER), { recursive: true, mode: 0o700 });
      const { sha256 } = await copyBytes(join(from, entry.path), to);
      if (sha256 !== entry.sha256)
        throw new BackupError(`${join(from, entry.path)} changes: it is no backup.`);
    }
  }
  // What is in a folder comes before it: it may be one that lets nobody in.
  for (const entry of entries.toReversed()) if ('mode' in entry) await chmod(target(entry.path), entry.mode);
}

async function restoreDatabases(
  { programs, postgresUser }: RestoreOptions,
  dataFolder: string,
  processes: ProcessSupervisor,
): Promise<void> {
  const say = (): void => undefined;
  const log = { info: say, warn: say, error: say };
  const postgres = new MachinePostgres({
    processes,
    dataFolder,
    log,
    userName: postgresUser,
    ...(programs !== undefined && { programs }),
  });
  try {
    await postgres.restore();
  } catch (error) {
    throw new BackupError(
      `All files are restored, and the databases of durable agents are not: ${error instanceof Error ? error.message : String(error)}\nThey wait in ${join(dataFolder, RESTORES_FOLDER)}, and are put in when their agents start.`,
    );
  } finally {
    await postgres.stop();
  }
}
