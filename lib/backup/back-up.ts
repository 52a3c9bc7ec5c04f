import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { backUpDatabases } from '../compute/postgres/backup.ts';
import { POSTGRES_FOLDER, POSTGRES_NOTE, RESTORES_FOLDER } from '../compute/postgres/folders.ts';
import { KEPT_BUILDS } from '../compute/process/kept-builds.ts';
import type { ProcessSupervisor } from '../processes/supervisor.ts';
import { copyBytes, copyFolder } from './copy.ts';
import { BackupError, DATA, DATABASES, type Entry, writeManifest } from './manifest.ts';
import { isRunning, type Kind, kindOf, listenerFolder, withProcesses } from './place.ts';

export type BackupOptions = {
  /** Of npm start, or of a listener. */
  dataFolder: string;
  /** A folder that is not there yet. */
  to: string;
  /** Whom PostgreSQL runs as where this program is root's, and has to start it. */
  postgresUser: string;
  /** Gives the folder of PostgreSQL's programs, if not those of the data folder. */
  programs?: () => Promise<string>;
  signal: AbortSignal;
};

/** What was written. */
export type BackupMade = { files: number; bytes: number; databases: number };

/** SQLite's files: they are written while they are read, so they are copied by SQLite. */
const TABLE = 'table.db';
const SQLITE = [TABLE, 'executions.db', 'logs.db'];
const BLOBS = 'blobs/objects';
/** What a start makes again, or what belongs to the processes that run. */
const NOT_KEPT = [
  'run.lock',
  'run.lock-journal',
  'run.json',
  'database.json',
  'work',
  'cache',
  'tools',
  'blobs',
];
const NOT_KEPT_OF_LISTENERS = ['listener.lock', POSTGRES_NOTE, POSTGRES_FOLDER, RESTORES_FOLDER];
/** Releases may go on during a backup; so many times it begins anew with databases and builds. */
const ATTEMPTS = 5;
const ALL_PAGES = 0x7f_ff_ff_ff;

/**
 * Writes everything that a machine keeps into a folder, while it works on. What is in it is for its owner
 * alone, and worth as much: it has the keys of all secrets. Throws BackupError, or what stood in the way,
 * with nothing left.
 */
export async function backUp(options: BackupOptions): Promise<BackupMade> {
  const dataFolder = resolve(options.dataFolder);
  const to = resolve(options.to);
  const kind = kindOf(dataFolder);
  if (existsSync(to)) throw new BackupError(`${to} is there already. Name a folder that is not, with --to.`);
  if (!relative(dataFolder, to).startsWith('..'))
    throw new BackupError(`${to} is in the data folder. Name a folder elsewhere, with --to.`);
  const isShared = isRunning(kind, dataFolder);
  const partial = join(dirname(to), `${basename(to)}.partial-${randomUUID()}`);
  await mkdir(partial, { recursive: true, mode: 0o700 });
  try {
    const entries = await withProcesses({ kind, dataFolder, isShared }, (processes) =>
      copyAll({ ...options, dataFolder, kind, isRunning: isShared, partial, processes }),
    );
    await writeManifest(partial, { made_at: new Date().toISOString(), kind, entries });
    await rename(partial, to);
    return summaryOf(entries);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

type Work = Omit<BackupOptions, 'to'> & {
  kind: Kind;
  isRunning: boolean;
  partial: string;
  processes: ProcessSupervisor;
};

/**
 * What a thing names must be there: files of an upload or artifact are stored before the table names them and
 * go after it has ceased to, so they are copied before the table and after it. What the table has is older
 * than what the listener has, which brings itself to what the table wants.
 */
async function copyAll(work: Work): Promise<Entry[]> {
  const { kind, dataFolder, partial, signal } = work;
  const data = join(partial, DATA);
  if (kind === 'listener') return copyListener(work, data);
  if (!existsSync(join(dataFolder, TABLE)))
    throw new BackupError(
      `The table of ${dataFolder} is in another database (AWS_ENDPOINT_URL_DYNAMODB), which has to be backed up with it. Nothing was written.`,
    );
  const skips = (path: string) =>
    NOT_KEPT.includes(path) || path === 'listener' || isTemporary(path) || isOfSqlite(path);
  // Records that the stream's position does not cover yet are handled again after a restore.
  const entries = await copyFolder(dataFolder, data, DATA, { skips, signal });
  await mkdir(join(data, 'blobs'), { mode: 0o700 });
  entries.push(folderEntry(`${DATA}/blobs`));
  entries.push(...(await copyBlobs(work, new Set())));
  for (const name of SQLITE)
    if (existsSync(join(dataFolder, name))) entries.push(await copyDatabase(work, name));
  entries.push(...(await copyBlobs(work, new Set(entries.map(({ path }) => path)))));
  if (existsSync(join(dataFolder, 'listener')))
    entries.push(...(await copyListener(work, join(data, 'listener'))));
  return entries;
}

const folderEntry = (path: string): Entry => ({ path, mode: 0o700, folder: true });
const isTemporary = (path: string): boolean => path.endsWith('.tmp');
const isOfSqlite = (path: string): boolean =>
  SQLITE.some((name) => path === name || path.startsWith(`${name}-`));

async function copyBlobs(work: Work, already: ReadonlySet<string>): Promise<Entry[]> {
  const { dataFolder, partial, signal } = work;
  const from = join(dataFolder, BLOBS);
  if (!existsSync(from)) return [];
  return copyFolder(from, join(partial, DATA, BLOBS), `${DATA}/${BLOBS}`, { already, signal });
}

/** As it is at one moment, whoever writes it meanwhile. */
async function copyDatabase({ dataFolder, partial, signal }: Work, name: string): Promise<Entry> {
  signal.throwIfAborted();
  const to = join(partial, DATA, name);
  const source = new DatabaseSync(join(dataFolder, name));
  try {
    // All of it in one step: between two, another program's write would begin it anew.
    await backup(source, to, { rate: ALL_PAGES });
  } finally {
    source.close();
  }
  await chmod(to, 0o600);
  return { path: `${DATA}/${name}`, mode: 0o600, ...(await copyBytes(to)) };
}

/**
 * The databases of agents, and then what the listener has: a thread may wait in a build, which the listener
 * removes when none does. If it has come to other builds meanwhile, both are copied again.
 */
async function copyListener(work: Work, to: string): Promise<Entry[]> {
  const { kind, dataFolder, partial, signal } = work;
  const from = listenerFolder(kind, dataFolder);
  const dumps = join(partial, DATABASES);
  const skips = (path: string) => NOT_KEPT_OF_LISTENERS.includes(path) || isTemporary(path);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const builds = keptBuildsIn(from);
    for (const folder of [dumps, to]) await rm(folder, { recursive: true, force: true });
    await backUpDatabases({ ...work, dataFolder: from, userName: work.postgresUser }, dumps, signal);
    const entries = await copyFolder(from, to, relative(partial, to), { skips, signal });
    if (keptBuildsIn(from) !== builds) continue;
    for (const name of readdirSync(dumps))
      entries.push({ path: `${DATABASES}/${name}`, mode: 0o600, ...(await copyBytes(join(dumps, name))) });
    return entries;
  }
  throw new BackupError(
    'Durable agents were released again and again while this backup was made. Nothing was written: make it when no release goes on.',
  );
}

/** What the builds of all deployments are, as a text. */
function keptBuildsIn(folder: string): string {
  const deployments = join(folder, 'deployments');
  if (!existsSync(deployments)) return '';
  const notes = readdirSync(deployments).map((id) => join(deployments, id, KEPT_BUILDS));
  return notes.map((note) => (existsSync(note) ? `${note} ${readFileSync(note, 'utf8')}` : '')).join('\n');
}

function summaryOf(entries: readonly Entry[]): BackupMade {
  const files = entries.filter((entry) => 'sha256' in entry);
  const databases = files.filter(({ path }) => path.startsWith(`${DATABASES}/`));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return { files: files.length, bytes, databases: databases.length };
}
