import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { childEnvironment } from '../../processes/environment.ts';
import { describeExit, type Processes, runCommand } from '../../processes/run-command.ts';

/** The role that owns everything, for this program alone. */
export const SUPERUSER = 'slipway';
/** A part of the socket's name. Nothing listens on a port: the sockets are files. */
export const PORT = 5432;
/** After a crash it first does again what its log has, which is some gigabytes at most. */
export const START_TIMEOUT_MILLISECONDS = 300_000;
export const START_POLL_MILLISECONDS = 20;
const SHOWN_LINES_MAX = 8;

/** Below the folder of PostgreSQL: its data, and what its superuser says to be let in. */
export const dataIn = (folder: string): string => join(folder, 'data');
export const superuserPasswordIn = (folder: string): string => join(folder, 'superuser-password');

export type PostgresClient = {
  /** Works on a database with all rights. A server that is just being started is waited for. */
  asSuperuser<T>(database: string, work: (client: Client) => Promise<T>): Promise<T>;
  /** How a role connects to a database: an address that libpq and its relatives read. */
  uri(database: string, role: string, password: string): string;
  /** Runs one of PostgreSQL's own programs as the superuser. Throws with what it said when it fails. */
  run(program: string, args: readonly string[], signal: AbortSignal): Promise<void>;
};

export type PostgresPlace = {
  processes: Processes;
  /** The folder of its programs. */
  programs: string;
  /** The folder of its data and passwords. */
  folder: string;
  socketFolder: string;
  password: string;
};

/** A client of the server whose socket is in a folder; it may not answer yet. */
export function postgresClient(place: PostgresPlace): PostgresClient {
  return {
    asSuperuser: async (database, work) => {
      const deadline = Date.now() + START_TIMEOUT_MILLISECONDS;
      return withClient(await connectWithin(adminOf(place, database), deadline), work);
    },
    uri: (database, role, secret) =>
      `postgresql://${encodeURIComponent(role)}:${encodeURIComponent(secret)}@/${encodeURIComponent(database)}?host=${encodeURIComponent(place.socketFolder)}`,
    run: (program, args, signal) => runProgram(place, program, args, signal),
  };
}

/**
 * A client of the server that another program has started on a folder; undefined while none answers there. It
 * says in a file where its socket is.
 */
export async function runningPostgres(
  place: Pick<PostgresPlace, 'processes' | 'programs' | 'folder'>,
): Promise<PostgresClient | undefined> {
  const { folder } = place;
  const noted = await readFile(join(dataIn(folder), 'postmaster.pid'), 'utf8').catch(() => '');
  const socketFolder = noted.split('\n')[4]?.trim() ?? '';
  if (socketFolder === '' || !existsSync(superuserPasswordIn(folder))) return undefined;
  const there = { ...place, socketFolder, password: await readFile(superuserPasswordIn(folder), 'utf8') };
  return (await answers(there)) ? postgresClient(there) : undefined;
}

type SocketPlace = Pick<PostgresPlace, 'folder' | 'socketFolder' | 'password'>;

/** Whether a server lets its superuser in; false while it still starts. Throws where it never will. */
export async function answers(place: SocketPlace): Promise<boolean> {
  try {
    return await withClient(await connect(adminOf(place, 'postgres')), () => Promise.resolve(true));
  } catch (error) {
    if (codeOf(error) !== WRONG_PASSWORD) return false;
    throw new Error(
      `PostgreSQL does not take the password in ${superuserPasswordIn(place.folder)}: bring back that file as it was when its data were made`,
      { cause: error },
    );
  }
}

const adminOf = (
  { socketFolder, password }: Pick<PostgresPlace, 'socketFolder' | 'password'>,
  database: string,
): ClientConfig => ({ host: socketFolder, port: PORT, user: SUPERUSER, password, database });

/** SQLSTATE of a password that is not that of the role. */
const WRONG_PASSWORD = '28P01';
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/** What says that a server is not there yet, or ends just now: of the system, and of PostgreSQL. */
const AWAY_CODES = new Set(['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03']);

/** The same in the client's own words, which have no code: in a query, and in what is asked after it. */
const AWAY_MESSAGE = /^(?:Connection terminated|Client has encountered a connection error)/;

/** Whether a server was not there, or has broken off: it is started again. */
export const isAway = (error: unknown): boolean =>
  AWAY_CODES.has(codeOf(error)) || (error instanceof Error && AWAY_MESSAGE.test(error.message));

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

/** The password goes by a variable, for arguments can be seen by everybody on the machine. */
function runProgram(
  { processes, programs, folder, socketFolder, password }: PostgresPlace,
  program: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const given = { PGHOST: socketFolder, PGPORT: String(PORT), PGUSER: SUPERUSER, PGPASSWORD: password };
  const environment = childEnvironment({ LC_ALL: 'C', ...given });
  return runTool(processes, { command: join(programs, program), args, cwd: folder, environment }, signal);
}

type Tool = Omit<Parameters<typeof runCommand>[1], 'onLine'>;

/** Runs a program to its end. Throws with the last of what it said when it fails. */
export async function runTool(processes: Processes, tool: Tool, signal: AbortSignal): Promise<void> {
  const last: string[] = [];
  const onLine = ({ line }: { line: string }) =>
    void last.splice(0, last.length, ...last.slice(1 - SHOWN_LINES_MAX), line);
  const exit = await runCommand(processes, { ...tool, onLine }, signal);
  if (exit.code !== 0) throw new Error([`${tool.command} ${describeExit(exit)}`, ...last].join('\n  '));
}
