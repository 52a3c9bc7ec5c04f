import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What is kept of each deployment beside the server's data. */
export type DatabaseFolders = {
  /** A file a deployment, with the password of its role. For this program alone. */
  passwords: string;
  /** Databases of deleted deployments. */
  dumps: string;
  /** Databases of a backup that are not yet in the server, a file `<deployment id>.dump` each. */
  restores: string;
};

/** Names in the data folder of a listener: the note where PostgreSQL has its folder, and the usual one. */
export const POSTGRES_NOTE = 'postgres-folder';
export const POSTGRES_FOLDER = 'postgres';
/** And what a backup has brought. */
export const RESTORES_FOLDER = 'postgres-restores';

/** Where PostgreSQL has its folder; undefined before its first start. */
export async function knownFolder(dataFolder: string): Promise<string | undefined> {
  const note = join(dataFolder, POSTGRES_NOTE);
  return existsSync(note) ? (await readFile(note, 'utf8')).trim() : undefined;
}

/** The folders of a listener, which may not be there yet. */
export async function databaseFolders(dataFolder: string): Promise<DatabaseFolders> {
  const folder = (await knownFolder(dataFolder)) ?? join(dataFolder, POSTGRES_FOLDER);
  return {
    passwords: join(folder, 'passwords'),
    dumps: join(folder, 'dumps'),
    restores: join(dataFolder, RESTORES_FOLDER),
  };
}
