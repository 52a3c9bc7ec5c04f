import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import { writeFileAtomic } from '../../processes/atomic-file.ts';
import type { PostgresServer } from './server.ts';

/** For all servers and workers of a deployment, and for what its own code opens. */
const CONNECTIONS_MAX = 100;
/** A database may be wanted back after its deployment has been deleted. */
export const DUMP_DAYS = 7;
const DAY_MILLISECONDS = 24 * 60 * 60_000;

/** What is kept of each deployment beside the server's data. */
export type DatabaseFolders = {
  /** A file a deployment, with the password of its role. For this program alone. */
  passwords: string;
  /** Databases of deleted deployments. The user of PostgreSQL writes there. */
  dumps: string;
};

/** Database and role of a deployment have this name. */
const nameOf = (deploymentId: string): string => `deployment_${deploymentId.replaceAll('-', '_')}`;

const passwordFile = ({ passwords }: DatabaseFolders, deploymentId: string): string =>
  join(passwords, deploymentId);

/** Where a deployment's database is. The address has the password in it. */
export type Database = { uri: string; password: string };

/** Whether a deployment has a database here. */
export const hasDatabase = (folders: DatabaseFolders, deploymentId: string): boolean =>
  existsSync(passwordFile(folders, deploymentId));

/**
 * Makes database and role of a deployment, unless they are there, and gives the address. The role owns its
 * database alone: it may not see others, nor make any.
 */
export async function openDatabase(
  server: PostgresServer,
  folders: DatabaseFolders,
  deploymentId: string,
): Promise<Database> {
  const name = nameOf(deploymentId);
  const password = await passwordOf(folders, deploymentId);
  await server.asSuperuser('postgres', async (client) => {
    const role = `${name} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION CONNECTION LIMIT ${CONNECTIONS_MAX} PASSWORD ${client.escapeLiteral(password)}`;
    const isThere = await exists(client, 'SELECT 1 FROM pg_roles WHERE rolname = $1', name);
    await client.query(`${isThere ? 'ALTER' : 'CREATE'} ROLE ${role}`);
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
  server: PostgresServer,
  folders: DatabaseFolders,
  deploymentId: string,
  { keepsDump }: { keepsDump: boolean },
  signal: AbortSignal,
): Promise<string | undefined> {
  const name = nameOf(deploymentId);
  const isThere = await server.asSuperuser('postgres', (client) =>
    exists(client, 'SELECT 1 FROM pg_database WHERE datname = $1', name),
  );
  const dump = keepsDump && isThere ? await dumpDatabase(server, folders, name, signal) : undefined;
  await server.asSuperuser('postgres', async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await client.query(`DROP ROLE IF EXISTS ${name}`);
  });
  await rm(passwordFile(folders, deploymentId), { force: true });
  return dump;
}

async function dumpDatabase(
  server: PostgresServer,
  folders: DatabaseFolders,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  const time = new Date().toISOString().replaceAll(':', '');
  const file = join(folders.dumps, `${name}-${time}.dump`);
  await server.run('pg_dump', ['--format', 'custom', '--no-password', '--file', file, name], signal);
  return file;
}

/** Removes the dumps whose time is over. */
export async function tidyDumps({ dumps }: DatabaseFolders, now = Date.now()): Promise<void> {
  for (const name of await readdir(dumps).catch(() => [])) {
    const file = join(dumps, name);
    const { mtimeMs } = await stat(file);
    if (now - mtimeMs > DUMP_DAYS * DAY_MILLISECONDS) await rm(file, { force: true });
  }
}

const exists = async (client: Client, query: string, name: string): Promise<boolean> =>
  (await client.query(query, [name])).rows.length > 0;
