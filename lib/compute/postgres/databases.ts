import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import { writeFileAtomic } from '../../processes/atomic-file.ts';
import type { PostgresClient } from './client.ts';
import type { DatabaseFolders } from './folders.ts';

/** For all servers and workers of a deployment, and for what its own code opens. */
export const CONNECTIONS_PER_DATABASE_MAX = 100;
/** A database may be wanted back after its deployment has been deleted. */
export const DUMP_DAYS = 7;
const DAY_MILLISECONDS = 24 * 60 * 60_000;

const DUMP = '.dump';

/** Database and role of a deployment have this name. */
const nameOf = (deploymentId: string): string => `deployment_${deploymentId.replaceAll('-', '_')}`;

const restoreFile = ({ restores }: DatabaseFolders, deploymentId: string): string =>
  join(restores, `${deploymentId}${DUMP}`);

const passwordFile = ({ passwords }: DatabaseFolders, deploymentId: string): string =>
  join(passwords, deploymentId);

/** Where a deployment's database is. The address has the password in it. */
export type Database = { uri: string; password: string };

/** Whether a deployment has a database here. */
export const hasDatabase = (folders: DatabaseFolders, deploymentId: string): boolean =>
  [passwordFile, restoreFile].some((file) => existsSync(file(folders, deploymentId)));

/** Whether the server has a database of a deployment. */
export const isInServer = (server: PostgresClient, deploymentId: string): Promise<boolean> =>
  server.asSuperuser('postgres', (client) =>
    exists(client, 'SELECT 1 FROM pg_database WHERE datname = $1', nameOf(deploymentId)),
  );

/** The deployments that have a password of a database, and so a database or nearly one. */
export const deploymentsIn = ({ passwords }: DatabaseFolders): Promise<string[]> =>
  readdir(passwords).catch(() => []);

/** The deployments whose database waits in a file. */
export async function waitingRestores({ restores }: DatabaseFolders): Promise<string[]> {
  const names = await readdir(restores).catch(() => []);
  return names.filter((name) => name.endsWith(DUMP)).map((name) => name.slice(0, -DUMP.length));
}

/**
 * Makes database and role of a deployment, unless they are there, and gives the address. What a backup has of
 * it is put in first. The role owns its database alone: it may not see others, nor make any.
 */
export async function openDatabase(
  server: PostgresClient,
  folders: DatabaseFolders,
  deploymentId: string,
  signal: AbortSignal,
): Promise<Database> {
  const name = nameOf(deploymentId);
  const password = await passwordOf(folders, deploymentId);
  await server.asSuperuser('postgres', async (client) => {
    const role = `${name} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION CONNECTION LIMIT ${CONNECTIONS_PER_DATABASE_MAX} PASSWORD ${client.escapeLiteral(password)}`;
    const isThere = await exists(client, 'SELECT 1 FROM pg_roles WHERE rolname = $1', name);
    await client.query(`${isThere ? 'ALTER' : 'CREATE'} ROLE ${role}`);
  });
  await restoreDatabase(server, folders, deploymentId, signal);
  await server.asSuperuser('postgres', async (client) => {
    if (!(await exists(client, 'SELECT 1 FROM pg_database WHERE datname = $1', name)))
      await client.query(`CREATE DATABASE ${name} OWNER ${name}`);
    for (const database of [name, 'postgres', 'template1'])
      await client.query(`REVOKE CONNECT, TEMPORARY ON DATABASE ${database} FROM PUBLIC`);
  });
  await server.asSuperuser(name, async (client) => {
    await client.query('CREATE EXTENSION IF NOT EXISTS vector');
  });
  return { uri: server.uri(name, name, password), password };
}

/**
 * Puts in what a backup has of a deployment's database, with the owners and rights of then. The file goes
 * last: what was cut off is begun anew, before anybody has the database's address.
 */
async function restoreDatabase(
  server: PostgresClient,
  folders: DatabaseFolders,
  deploymentId: string,
  signal: AbortSignal,
): Promise<void> {
  const file = restoreFile(folders, deploymentId);
  if (!existsSync(file)) return;
  await server.asSuperuser('postgres', (client) =>
    client.query(`DROP DATABASE IF EXISTS ${nameOf(deploymentId)} WITH (FORCE)`),
  );
  const how = ['--create', '--exit-on-error', '--no-password', '--dbname', 'postgres'];
  await server.run('pg_restore', [...how, file], signal);
  await rm(file);
}

async function passwordOf(folders: DatabaseFolders, deploymentId: string): Promise<string> {
  const file = passwordFile(folders, deploymentId);
  await mkdir(folders.passwords, { recursive: true, mode: 0o700 });
  if (!existsSync(file)) await writeFileAtomic(file, randomBytes(24).toString('base64url'));
  return readFile(file, 'utf8');
}

/**
 * Removes database and role of a deployment. Resolves with the dump that is kept of it for `DUMP_DAYS`;
 * undefined where none was wanted.
 */
export async function removeDatabase(
  server: PostgresClient,
  folders: DatabaseFolders,
  deploymentId: string,
  { keepsDump }: { keepsDump: boolean },
  signal: AbortSignal,
): Promise<string | undefined> {
  const name = nameOf(deploymentId);
  const isThere = await isInServer(server, deploymentId);
  const time = new Date().toISOString().replaceAll(':', '');
  const dump = keepsDump && isThere ? join(folders.dumps, `${name}-${time}${DUMP}`) : undefined;
  if (dump !== undefined) await dumpDatabase(server, deploymentId, dump, signal);
  await server.asSuperuser('postgres', async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await client.query(`DROP ROLE IF EXISTS ${name}`);
  });
  for (const file of [passwordFile, restoreFile]) await rm(file(folders, deploymentId), { force: true });
  return dump;
}

/** Writes the database of a deployment into a file, as it is at one moment. */
export async function dumpDatabase(
  server: PostgresClient,
  deploymentId: string,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const how = ['--format', 'custom', '--no-password', '--file', file];
  try {
    await server.run('pg_dump', [...how, nameOf(deploymentId)], signal);
    await chmod(file, 0o600);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

/** Removes what was kept of a deployment's databases. */
export async function removeDumps({ dumps }: DatabaseFolders, deploymentId: string): Promise<void> {
  const names = await readdir(dumps).catch(() => []);
  const own = names.filter((name) => name.startsWith(`${nameOf(deploymentId)}-`) && name.endsWith(DUMP));
  await Promise.all(own.map((name) => rm(join(dumps, name), { force: true })));
}

/** Removes the dumps whose time is over. */
export async function tidyDumps({ dumps }: DatabaseFolders, now = Date.now()): Promise<void> {
  for (const name of await readdir(dumps).catch(() => [])) {
    const file = join(dumps, name);
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: now }));
    if (now - mtimeMs > DUMP_DAYS * DAY_MILLISECONDS) await rm(file, { force: true });
  }
}

const exists = async (client: Client, query: string, name: string): Promise<boolean> =>
  (await client.query(query, [name])).rows.length > 0;
