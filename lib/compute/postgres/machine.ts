import { createHash } from 'node:crypto';
import { chmod, mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../processes/atomic-file.ts';
import type { Processes } from '../../processes/run-command.ts';
import { installPostgres, tidyPrograms } from './binaries.ts';
import { isAway, type PostgresClient } from './client.ts';
import {
  type Database,
  deploymentsIn,
  hasDatabase,
  openDatabase,
  removeDatabase,
  removeDumps,
  tidyDumps,
  waitingRestores,
} from './databases.ts';
import {
  type DatabaseFolders,
  databaseFolders,
  knownFolder,
  POSTGRES_FOLDER,
  POSTGRES_NOTE,
} from './folders.ts';
import { type PostgresServer, startPostgres } from './server.ts';
import { canReach, postgresUser, type SystemUser } from './user.ts';

/** Where the data lies whose folder the user of PostgreSQL cannot reach, as that of root's home. */
const ELSEWHERE = '/var/lib/slipway-postgres';
const TIDY_MILLISECONDS = 60 * 60_000;
const OPEN_ATTEMPTS = 5;

type Log = Record<'info' | 'warn' | 'error', (message: string) => void>;

export type MachinePostgresOptions = {
  processes: Processes;
  /** The folder of all data of the program that starts it. */
  dataFolder: string;
  log: Log;
  /** The name of the user that it runs as where this program is root's. */
  userName: string;
  /** Gives the folder of its programs; installed beside the data if not given. */
  programs?: () => Promise<string>;
};

type Started = { server: PostgresServer; folders: DatabaseFolders };

/** What an operator should know. That it starts is asked for again and again by us, and refused until it is up. */
const isWorth = (line: string): boolean =>
  /\b(?:FATAL|PANIC):/.test(line) &&
  !/database system is (?:starting up|not yet accepting connections)/.test(line);

/**
 * The PostgreSQL of this machine: it starts when the first database is wanted, is started again when it dies,
 * and ends with the last database, or by `stop`.
 */
export class MachinePostgres {
  readonly #options: MachinePostgresOptions;
  readonly #ending = new AbortController();
  #starting: Promise<Started> | undefined;
  #stopping: Promise<void> | undefined;
  readonly #tidying: NodeJS.Timeout;
  /** Databases are made and removed one after the other, so that no two want the same one. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: MachinePostgresOptions) {
    this.#options = options;
    // Dumps go when their time is over, whether or not a server runs.
    const tidy = () => void this.#tidy().catch((error: unknown) => options.log.warn(String(error)));
    tidy();
    this.#tidying = setInterval(tidy, TIDY_MILLISECONDS);
    this.#tidying.unref();
  }

  /** The address of a deployment's database, which is made if it is not there. Throws PostgresMissing. */
  database(deploymentId: string): Promise<Database> {
    return this.#inTurn(async () => {
      const { server, folders } = await this.#started();
      for (let attempt = 1; ; attempt++)
        try {
          return await openDatabase(server, folders, deploymentId, this.#ending.signal);
        } catch (error) {
          // It was killed meanwhile, and is started again; what was made is found the next time.
          if (attempt === OPEN_ATTEMPTS || !isAway(error)) throw error;
        }
    });
  }

  /** Puts the databases that a backup has brought into the server. Throws PostgresMissing, or what stood in the way. */
  async restore(): Promise<void> {
    const folders = await databaseFolders(this.#options.dataFolder);
    for (const deploymentId of await waitingRestores(folders)) await this.database(deploymentId);
  }

  /** Works on the server with all rights. */
  use<T>(work: (server: PostgresClient) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => work((await this.#started()).server));
  }

  /** Removes a deployment's database, if it has one. A dump of it is kept for some days, unless it is not wanted. */
  remove(deploymentId: string, { keepsDump }: { keepsDump: boolean }): Promise<void> {
    return this.#inTurn(async () => {
      const known = await databaseFolders(this.#options.dataFolder);
      // It may have had a database before, which was kept.
      if (!keepsDump) await removeDumps(known, deploymentId);
      if (!hasDatabase(known, deploymentId)) return;
      const { server, folders } = await this.#started();
      const dump = await removeDatabase(server, folders, deploymentId, { keepsDump }, this.#ending.signal);
      if (dump !== undefined)
        this.#options.log.info(`the database of deployment ${deploymentId} is kept in ${dump}`);
      if ((await deploymentsIn(folders)).length > 0) return;
      this.#starting = undefined;
      this.#stopping = server.stop();
      await this.#stopping;
      this.#options.log.info('PostgreSQL is stopped: there are no databases any more');
    });
  }

  /** The process of the server; undefined while there is none. */
  async pid(): Promise<number | undefined> {
    return (await this.#starting?.catch(() => undefined))?.server.pid();
  }

  async stop(): Promise<void> {
    this.#ending.abort(new Error('PostgreSQL is being stopped'));
    clearInterval(this.#tidying);
    const started = await this.#starting?.catch(() => undefined);
    await Promise.all([started?.server.stop(), this.#stopping]);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** A failure to start is no answer for ever: the next one who asks tries again. */
  #started(): Promise<Started> {
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  async #start(): Promise<Started> {
    const { processes, log } = this.#options;
    const { signal } = this.#ending;
    signal.throwIfAborted();
    const user = await postgresUser(processes, this.#options.userName, signal);
    const folder = (await knownFolder(this.#options.dataFolder)) ?? (await this.#chooseFolder(user));
    await makePassable(folder, user);
    const programs = await (this.#options.programs?.() ?? installPostgres(processes, folder, signal));
    const folders = await databaseFolders(this.#options.dataFolder);
    await mkdir(folders.dumps, { recursive: true, mode: 0o700 });
    const onLine = (line: string) => isWorth(line) && log.warn(`PostgreSQL: ${line}`);
    const server = await startPostgres(
      { processes, programs, folder, user, onLine, onCrash: log.error },
      signal,
    );
    await tidyPrograms(folder);
    log.info(`PostgreSQL pid ${server.pid()}, data in ${folder}`);
    return { server, folders };
  }

  async #tidy(): Promise<void> {
    await tidyDumps(await databaseFolders(this.#options.dataFolder));
  }

  async #chooseFolder(user: SystemUser | undefined): Promise<string> {
    const { dataFolder } = this.#options;
    const inside = join(await realpath(dataFolder), POSTGRES_FOLDER);
    const key = createHash('sha256').update(inside).digest('hex').slice(0, 12);
    const folder = user === undefined || canReach(inside, user) ? inside : join(ELSEWHERE, key);
    // Written down, so that data stay found whatever rights the folders above them are given later.
    await writeFileAtomic(join(dataFolder, POSTGRES_NOTE), `${folder}\n`);
    return folder;
  }
}

/** Its user passes through the folder; nobody lists it. */
async function makePassable(folder: string, user: SystemUser | undefined): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, user === undefined ? 0o700 : 0o711);
}
