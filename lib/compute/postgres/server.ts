import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeFileAtomic } from '../../processes/atomic-file.ts';
import { childEnvironment } from '../../processes/environment.ts';
import type { GroupCommand, ProcessGroup } from '../../processes/group.ts';
import { keepRunning } from '../../processes/keep-running.ts';
import { describeExit, type Processes } from '../../processes/run-command.ts';
import {
  answers,
  dataIn,
  PORT,
  type PostgresClient,
  postgresClient,
  runTool,
  START_POLL_MILLISECONDS,
  START_TIMEOUT_MILLISECONDS,
  SUPERUSER,
  superuserPasswordIn,
} from './client.ts';
import { checkData, meaningOf, notedPid, removeStaleLock } from './data-folder.ts';
import type { SystemUser } from './user.ts';

/** Each deployment has its own limit below it. */
export const CONNECTIONS_MAX = 500;
/** A socket's path has at most 103 bytes on macOS, 107 on Linux; this is what its folder may have of them. */
const SOCKET_FOLDER_BYTES_MAX = 103 - `/.s.PGSQL.${PORT}`.length;

/** It ends all sessions and writes a checkpoint. */
const STOP_MILLISECONDS = 10_000;
/** Runs are taken up again when it is back, so at once. */
const RESTARTS = { leastMilliseconds: 0, mostMilliseconds: 5_000, steadyMilliseconds: 30_000 };
const SHOWN_LINES_MAX = 8;

/** How PostgreSQL runs on a machine beside much else. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: String(CONNECTIONS_MAX),
  password_encryption: 'scram-sha-256',
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  // Containers have little of the memory that parallel queries share.
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // What is logged holds nothing of users: neither statements nor the keys that were there already.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

export type PostgresOptions = {
  processes: Processes;
  /** The folder of its programs. */
  programs: string;
  /** The folder of its data and passwords, which is there and which its user may pass through. */
  folder: string;
  /** Whom it runs as where this program is root's. */
  user: SystemUser | undefined;
  /** Settings of PostgreSQL that come before those of here. */
  settings?: Readonly<Record<string, string>>;
  /** A line of what it logs. */
  onLine?: (line: string) => void;
  /** Said when it had to be started again. */
  onCrash?: (message: string) => void;
};

export type PostgresServer = PostgresClient & {
  pid(): number | undefined;
  stop(): Promise<void>;
};

/**
 * Starts PostgreSQL on the data in `folder`, which is made if it is not there, and resolves when it answers.
 * If it dies it is started again, until `stop`. It answers on a socket in a folder that is its user's alone.
 */
export async function startPostgres(options: PostgresOptions, signal: AbortSignal): Promise<PostgresServer> {
  const password = await prepare(options, signal);
  const socketFolder = await makeSocketFolder(options);
  const lastLines: string[] = [];
  const start = () => launch(options, socketFolder, lastLines);
  await removeStaleLock(options.folder, socketFolder);
  const first = start();
  await waitUntilReady(options, first, { socketFolder, password, lastLines, signal });
  const kept = keepRunning(options.processes, first, start, RESTARTS, (what) =>
    options.onCrash?.(`PostgreSQL ${what}${meaningOf(lastLines, options.folder)}`),
  );
  return {
    ...postgresClient({ ...options, socketFolder, password }),
    pid: () => kept.current().pid,
    stop: () =>
      kept.end(async (group) => {
        await stopFast(options.processes, group);
        if (socketFolder !== ownSocketFolder(options))
          await rm(socketFolder, { recursive: true, force: true });
      }),
  };
}

/** SIGINT ends its sessions, where SIGTERM would wait for them. Its processes end with the first one. */
async function stopFast(processes: Processes, group: ProcessGroup): Promise<void> {
  try {
    if (group.pid !== undefined && group.exit === undefined) process.kill(group.pid, 'SIGINT');
  } catch {
    // It has ended just now, which nobody has been told yet.
  }
  await Promise.race([group.exited, delay(STOP_MILLISECONDS, undefined, { ref: false })]);
  await processes.stop(group, 0);
}

/** Makes password and data, as far as they are not there. Gives the superuser's password. */
async function prepare(options: PostgresOptions, signal: AbortSignal): Promise<string> {
  const { folder } = options;
  const file = superuserPasswordIn(folder);
  await checkData(folder);
  if (!existsSync(file)) await writeFileAtomic(file, randomBytes(24).toString('base64url'));
  const password = await readFile(file, 'utf8');
  if (!existsSync(dataIn(folder))) await initialize(options, password, signal);
  return password;
}

async function initialize(options: PostgresOptions, password: string, signal: AbortSignal): Promise<void> {
  const { folder } = options;
  const partial = join(folder, `data.partial-${randomUUID()}`);
  const given = `${partial}.password`;
  try {
    await mkdir(partial, { mode: 0o700 });
    await writeFile(given, password, { mode: 0o600, flag: 'wx' });
    for (const path of [partial, given]) await handOver(path, options);
    const args = ['--pgdata', partial, '--username', SUPERUSER, '--pwfile', given, '--auth', 'scram-sha-256'];
    const locale = [
      '--encoding',
      'UTF8',
      '--locale-provider',
      'builtin',
      '--builtin-locale',
      'C.UTF-8',
      '--locale',
      'C',
    ];
    const command = join(options.programs, 'initdb');
    await runTool(
      options.processes,
      { ...whereAndWho(options), command, args: [...args, ...locale] },
      signal,
    ).catch((error: unknown) => {
      const said = error instanceof Error ? error.message : String(error);
      throw new Error(`The data of PostgreSQL could not be made: ${said}${meaningOf([said], folder)}`);
    });
    await rename(partial, dataIn(folder));
  } finally {
    await rm(partial, { recursive: true, force: true });
    await rm(given, { force: true });
  }
}

async function handOver(path: string, { user }: PostgresOptions): Promise<void> {
  if (user !== undefined) await chown(path, user.uid, user.gid);
}

const ownSocketFolder = ({ folder }: PostgresOptions): string => join(folder, 'socket');

async function makeSocketFolder(options: PostgresOptions): Promise<string> {
  const own = ownSocketFolder(options);
  const fits = Buffer.byteLength(own) <= SOCKET_FOLDER_BYTES_MAX;
  const short = Buffer.byteLength(tmpdir()) < SOCKET_FOLDER_BYTES_MAX / 2 ? tmpdir() : '/tmp';
  const made = fits ? own : await mkdtemp(join(short, 'slipway-postgres-'));
  await mkdir(made, { recursive: true, mode: 0o700 });
  await handOver(made, options);
  return made;
}

function launch(options: PostgresOptions, socketFolder: string, lastLines: string[]): ProcessGroup {
  const settings = { ...SETTINGS, unix_socket_directories: socketFolder, ...options.settings };
  return options.processes.start({
    ...whereAndWho(options),
    command: join(options.programs, 'postgres'),
    args: [
      ...['-D', dataIn(options.folder)],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    onLine: ({ line }) => {
      lastLines.push(line);
      if (lastLines.length > SHOWN_LINES_MAX) lastLines.shift();
      options.onLine?.(line);
    },
  });
}

type WhereAndWho = Pick<GroupCommand, 'cwd' | 'environment' | 'user'>;

const whereAndWho = ({ folder, user }: PostgresOptions): WhereAndWho => ({
  cwd: folder,
  environment: childEnvironment({ LC_ALL: 'C' }),
  ...(user !== undefined && { user: { uid: user.uid, gid: user.gid } }),
});

type Waiting = {
  socketFolder: string;
  password: string;
  lastLines: readonly string[];
  signal: AbortSignal;
};

async function waitUntilReady(
  { processes, folder }: PostgresOptions,
  group: ProcessGroup,
  { lastLines, signal, ...place }: Waiting,
): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MILLISECONDS;
  let isReady = false;
  try {
    while (!isReady && group.exit === undefined && Date.now() < deadline && !signal.aborted) {
      // Another one may answer there, until this one has found that out and ends.
      isReady = (await answers({ ...place, folder })) && (await notedPid(folder)) === group.pid;
      if (!isReady) await delay(START_POLL_MILLISECONDS);
    }
  } finally {
    if (!isReady) await stopFast(processes, group);
  }
  if (isReady) return;
  signal.throwIfAborted();
  const ending = group.exit === undefined ? 'did not answer in time' : describeExit(group.exit);
  const said = ['PostgreSQL could not be started: it ' + ending, ...lastLines].join('\n  ');
  throw new Error(said + meaningOf(lastLines, folder));
}
