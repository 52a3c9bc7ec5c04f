import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../processes/atomic-file.ts';
import type { Processes } from '../../processes/run-command.ts';
import { installPostgres } from './binaries.ts';
import {
  type Database,
  type DatabaseFolders,
  hasDatabase,
  openDatabase,
  removeDatabase,
  tidyDumps,
} from './databases.ts';
import { isAway, type PostgresServer, startPostgres } from './server.ts';
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

/**
 * The PostgreSQL of this machine: it starts when the first database is wanted, is started again when it dies,
 * and ends by `stop`.
 */
export class MachinePostgres {
  readonly #options: MachinePostgresOptions;
  readonly #ending = new AbortController();
  #starting: Promise<Started> | undefined;
  #tidying: NodeJS.Timeout | undefined;
  /** Databases are made and removed one after the other, so that no two want the same one. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: MachinePostgresOptions) {
    this.#options = options;
  }

  /** The address of a deployment's database, which is made if it is not there. Throws PostgresMissing. */
  database(deploymentId: string): Promise<Database> {
    return this.#inTurn(async () => {
      const { server, folders } = await this.#started();
      for (let attempt = 1; ; attempt++)
        try {
          return await openDatabase(server, folders, deploymentId);
        } catch (error) {
          // It was killed meanwhile, and is started again; what was made is found the next time.
          if (attempt === OPEN_ATTEMPTS || !isAway(error)) throw error;
        }
    });
  }

  /** Removes a deployment's database, if it has one. A dump of it is kept for some days, unless it is not wanted. */
  remove(deploymentId: string, { keepsDump }: { keepsDump: boolean }): Promise<void> {
    return this.#inTurn(async () => {
      const folder = await this.#knownFolder();
      if (folder === undefined || !hasDatabase(foldersIn(folder), deploymentId)) return;
      const { server, folders } = await this.#started();
      const dump = await removeDatabase(server, folders, deploymentId, { keepsDump }, this.#ending.signal);
      if (dump !== undefined)
        this.#options.log.info(`the database of deployment ${deploymentId} is kept in ${dump}`);
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
    await started?.server.stop();
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
    const folder = (await this.#knownFolder()) ?? (await this.#chooseFolder(user));
    await makePassable(folder, user);
    const programs = await (this.#options.programs?.() ?? installPostgres(processes, folder, signal));
    const folders = foldersIn(folder);
    await mkdir(folders.dumps, { recursive: true, mode: 0o700 });
    if (user !== undefined) await chown(folders.dumps, user.uid, user.gid);
    const onLine = (line: string) => /\b(?:FATAL|PANIC):/.test(line) && log.warn(`PostgreSQL: ${line}`);
    const server = await startPostgres(
      { processes, programs, folder, user, onLine, onCrash: log.error },
      signal,
    );
    log.info(`PostgreSQL pid ${server.pid()}, data in ${folder}`);
    const tidy = () => void tidyDumps(folders).catch(() => undefined);
    tidy();
    this.#tidying = setInterval(tidy, TIDY_MILLISECONDS);
    this.#tidying.unref();
    return { server, folders };
  }

  /** Written down, so that data stay found whatever rights the folders above them are given later. */
  get #note(): string {
    return join(this.#options.dataFolder, 'postgres-folder');
  }

  async #knownFolder(): Promise<string | undefined> {
    return existsSync(this.#note) ? (await readFile(this.#note, 'utf8')).trim() : undefined;
  }

  async #chooseFolder(user: SystemUser | undefined): Promise<string> {
    const inside = join(await realpath(this.#options.dataFolder), 'postgres');
    const key = createHash('sha256').update(inside).digest('hex').slice(0, 12);
    const folder = user === undefined || canReach(inside, user) ? inside : join(ELSEWHERE, key);
    await writeFileAtomic(this.#note, `${folder}\n`);
    return folder;
  }
}

const foldersIn = (folder: string): DatabaseFolders => ({
  passwords: join(folder, 'passwords'),
  dumps: join(folder, 'dumps'),
});

/** Its user passes through the folder; nobody lists it. */
async function makePassable(folder: string, user: SystemUser | undefined): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, user === undefined ? 0o700 : 0o711);
}
