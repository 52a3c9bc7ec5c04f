import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { writeFileAtomic } from '../../processes/atomic-file.ts';
import { childEnvironment } from '../../processes/environment.ts';
import type { GroupCommand, ProcessGroup } from '../../processes/group.ts';
import { keepRunning } from '../../processes/keep-running.ts';
import { describeExit, type Processes, runCommand } from '../../processes/run-command.ts';
import type { SystemUser } from './user.ts';

/** The role that owns everything, for this program alone. */
const SUPERUSER = 'slipway';
/** A part of the socket's name. Nothing listens on a port: the sockets are files. */
const PORT = 5432;
/** Each deployment has its own limit below it. */
export const CONNECTIONS_MAX = 500;
/** A socket's path has at most 103 bytes on macOS, 107 on Linux; this is what its folder may have of them. */
const SOCKET_FOLDER_BYTES_MAX = 103 - `/.s.PGSQL.${PORT}`.length;

const START_POLL_MILLISECONDS = 20;
/** After a crash it first does again what its log has, which is some gigabytes at most. */
const START_TIMEOUT_MILLISECONDS = 300_000;
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

export type PostgresServer = {
  /** Works on a database with all rights. A server that is just being started is waited for. */
  asSuperuser<T>(database: string, work: (client: Client) => Promise<T>): Promise<T>;
  /** How a role connects to a database: an address that libpq and its relatives read. */
  uri(database: string, role: string, password: string): string;
  /** Runs one of PostgreSQL's own programs as the superuser. Throws with what it said when it fails. */
  run(program: string, args: readonly string[], signal: AbortSignal): Promise<void>;
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
  const admin = (database = 'postgres'): ClientConfig => ({
    host: socketFolder,
    port: PORT,
    user: SUPERUSER,
    password,
    database,
  });
  const lastLines: string[] = [];
  const start = () => launch(options, socketFolder, lastLines);
  const first = start();
  await waitUntilReady(options.processes, first, { admin: admin(), lastLines, signal });
  const kept = keepRunning(options.processes, first, start, RESTARTS, (what) =>
    options.onCrash?.(`PostgreSQL ${what}`),
  );
  return {
    asSuperuser: async (database, work) => {
      const deadline = Date.now() + START_TIMEOUT_MILLISECONDS;
      return withClient(await connectWithin(admin(database), deadline), work);
    },
    uri: (database, role, secret) =>
      `postgresql://${encodeURIComponent(role)}:${encodeURIComponent(secret)}@/${encodeURIComponent(database)}?host=${encodeURIComponent(socketFolder)}`,
    run: (program, args, until) => runProgram(options, { program, args, socketFolder, password }, until),
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
  if (group.pid !== undefined && group.exit === undefined) process.kill(group.pid, 'SIGINT');
  await Promise.race([group.exited, delay(STOP_MILLISECONDS, undefined, { ref: false })]);
  await processes.stop(group, 0);
}

/** Makes password and data, as far as they are not there. Gives the superuser's password. */
async function prepare(options: PostgresOptions, signal: AbortSignal): Promise<string> {
  const { folder } = options;
  const file = join(folder, 'superuser-password');
  if (!existsSync(file)) await writeFileAtomic(file, randomBytes(24).toString('base64url'));
  const password = await readFile(file, 'utf8');
  if (!existsSync(join(folder, 'data'))) await initialize(options, password, signal);
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
    await runTool(options, { command: join(options.programs, 'initdb'), args: [...args, ...locale] }, signal);
    await rename(partial, join(folder, 'data'));
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
      ...['-D', join(options.folder, 'data')],
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

type Waiting = { admin: ClientConfig; lastLines: readonly string[]; signal: AbortSignal };

async function waitUntilReady(
  processes: Processes,
  group: ProcessGroup,
  { admin, lastLines, signal }: Waiting,
): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MILLISECONDS;
  while (group.exit === undefined && Date.now() < deadline && !signal.aborted) {
    if (await answers(admin)) return;
    await delay(START_POLL_MILLISECONDS);
  }
  await stopFast(processes, group);
  signal.throwIfAborted();
  const ending = group.exit === undefined ? 'did not answer in time' : describeExit(group.exit);
  throw new Error(['PostgreSQL could not be started: it ' + ending, ...lastLines].join('\n  '));
}

/** What says that a server is not there yet, or ends just now: of the system, and of PostgreSQL. */
const AWAY_CODES = new Set(['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03']);

/** Whether a server was not there, or has broken off: it is started again. */
export const isAway = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && AWAY_CODES.has(String(error.code))) ||
    error.message.startsWith('Connection terminated'));

async function connect(admin: ClientConfig): Promise<Client> {
  const client = new Client(admin);
  // A connection that is lost rejects the query under way; without a listener it would end this program.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function connectWithin(admin: ClientConfig, deadline: number): Promise<Client> {
  for (;;) {
    try {
      return await connect(admin);
    } catch (error) {
      if (!isAway(error) || Date.now() > deadline) throw error;
    }
    await delay(START_POLL_MILLISECONDS);
  }
}

async function withClient<T>(client: Client, work: (client: Client) => Promise<T>): Promise<T> {
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

const answers = (admin: ClientConfig): Promise<boolean> =>
  connect(admin).then(
    (client) => withClient(client, () => Promise.resolve(true)),
    () => false, // Not there yet, or still starting up.
  );

type Running = { program: string; args: readonly string[]; socketFolder: string; password: string };

/** The password goes by a variable, for arguments can be seen by everybody on the machine. */
function runProgram(
  options: PostgresOptions,
  { program, args, socketFolder, password }: Running,
  signal: AbortSignal,
): Promise<void> {
  const given = { PGHOST: socketFolder, PGPORT: String(PORT), PGUSER: SUPERUSER, PGPASSWORD: password };
  const command = join(options.programs, program);
  return runTool(
    options,
    { command, args, environment: childEnvironment({ LC_ALL: 'C', ...given }) },
    signal,
  );
}

async function runTool(
  options: PostgresOptions,
  command: Pick<GroupCommand, 'command' | 'args'> & { environment?: Record<string, string> },
  signal: AbortSignal,
): Promise<void> {
  const last: string[] = [];
  const onLine = ({ line }: { line: string }) =>
    void last.splice(0, last.length, ...last.slice(1 - SHOWN_LINES_MAX), line);
  const exit = await runCommand(options.processes, { ...whereAndWho(options), ...command, onLine }, signal);
  if (exit.code !== 0) throw new Error([`${command.command} ${describeExit(exit)}`, ...last].join('\n  '));
}
