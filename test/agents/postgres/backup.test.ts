import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backUpDatabases } from '../../../lib/compute/postgres/backup.ts';
import { databaseFolders } from '../../../lib/compute/postgres/folders.ts';
import { MachinePostgres } from '../../../lib/compute/postgres/machine.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { postgresFolder, postgresPrograms } from '../../support/programs/postgres.ts';

const A = '00000000-0000-4000-8000-00000000000a';
const B = '00000000-0000-4000-8000-00000000000b';
const { signal } = new AbortController();

const processes = new ProcessSupervisor();
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const programs = () => postgresPrograms(processes);
const on = (dataFolder: string) => ({ processes, dataFolder, programs, userName: 'nobody' });
const started = (dataFolder: string) => new MachinePostgres({ ...on(dataFolder), log: quiet });

async function ask(uri: string, ...queries: string[]): Promise<unknown[]> {
  const client = new Client(uri);
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const query of queries) rows = (await client.query(query)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** What servers, libraries and an agent's own code make. */
const MADE = [
  'CREATE SCHEMA rt CREATE TABLE runs (run_id text PRIMARY KEY, kwargs json)',
  `INSERT INTO rt.runs VALUES ('r', '{"n":1.0}')`,
  'CREATE SCHEMA lg CREATE TABLE checkpoints (at bytea)',
  'CREATE TABLE public.notes (id serial PRIMARY KEY, at vector(3))',
  "INSERT INTO notes (at) VALUES ('[1,2,3]')",
  'CREATE INDEX ON notes USING hnsw (at vector_l2_ops)',
  'CREATE EXTENSION pg_trgm',
  `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET statement_timeout = 12345', current_database()); END $$`,
];

/** Owners, rights and settings of a database, as its role sees them. */
const RIGHTS = `SELECT
  (SELECT json_agg(x ORDER BY x.name) FROM (
    SELECT n.nspname || '.' || c.relname AS name, pg_get_userbyid(c.relowner) AS owner, c.relacl::text AS acl
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname IN ('rt', 'lg', 'public')) x) AS relations,
  (SELECT json_agg(x ORDER BY x.nspname) FROM (
    SELECT nspname, pg_get_userbyid(nspowner) AS owner, nspacl::text AS acl FROM pg_namespace WHERE nspname !~ '^pg_') x) AS schemas,
  (SELECT json_build_array(datacl::text, pg_get_userbyid(datdba)) FROM pg_database WHERE datname = current_database()) AS own,
  (SELECT json_agg(extname ORDER BY extname) FROM pg_extension) AS extensions,
  (SELECT json_build_array(rolsuper, rolcreatedb, rolcreaterole, rolconnlimit) FROM pg_roles WHERE rolname = current_user) AS role,
  current_setting('statement_timeout') AS timeout`;

let place: string;
let machine: MachinePostgres;
const inPlace = (name: string) => join(place, name);

/** A data folder that has what was backed up, as a restore leaves it. */
async function restoredFrom(backup: string, name: string): Promise<string> {
  const dataFolder = inPlace(name);
  await mkdir(dataFolder, { mode: 0o711 });
  await cp(backup, (await databaseFolders(dataFolder)).restores, { recursive: true });
  return dataFolder;
}

beforeAll(async () => {
  place = await postgresFolder();
  await mkdir(inPlace('data'), { mode: 0o711 });
  machine = started(inPlace('data'));
});
afterAll(async () => {
  await machine.stop();
  await processes.close();
  await rm(place, { recursive: true, force: true });
});

test('databases are backed up while they are used, and restored with their owners and rights', async () => {
  const { uri } = await machine.database(A);
  await machine.database(B);
  await ask(uri, ...MADE);
  const before = await ask(uri, RIGHTS);
  await backUpDatabases({ ...on(inPlace('data')), isRunning: true }, inPlace('backup'), signal);
  expect(readdirSync(inPlace('backup')).sort()).toEqual([`${A}.dump`, `${B}.dump`]);
  expect(statSync(join(inPlace('backup'), `${A}.dump`)).mode & 0o777).toBe(0o600);

  const other = started(await restoredFrom(inPlace('backup'), 'restored'));
  try {
    await other.restore();
    const restored = (await other.database(A)).uri;
    expect(await ask(restored, RIGHTS)).toEqual(before);
    expect(await ask(restored, 'SELECT at FROM notes')).toEqual([{ at: '[1,2,3]' }]);
    expect(await ask(restored, 'SELECT kwargs::text AS text FROM rt.runs')).toEqual([{ text: '{"n":1.0}' }]);
    expect(await ask(restored, 'INSERT INTO notes DEFAULT VALUES RETURNING id')).toEqual([{ id: 2 }]);
    const ofB = restored.replace(/@\/[^?]+/, `@/deployment_${B.replaceAll('-', '_')}`);
    await expect(ask(ofB, 'SELECT 1')).rejects.toThrow('permission denied for database');
    expect(readdirSync((await databaseFolders(inPlace('restored'))).restores)).toEqual([]);
  } finally {
    await other.stop();
  }
});

test('a database that waits to be restored is in the next backup, and one that was cut off is begun anew', async () => {
  const dataFolder = await restoredFrom(inPlace('backup'), 'waiting');
  await backUpDatabases({ ...on(dataFolder), isRunning: true }, inPlace('again'), signal);
  expect(readdirSync(inPlace('again')).sort()).toEqual([`${A}.dump`, `${B}.dump`]);

  const { restores } = await databaseFolders(dataFolder);
  const spoilt = join(restores, `${B}.dump`);
  writeFileSync(spoilt, 'PGDMP and no more');
  const other = started(dataFolder);
  try {
    await expect(other.restore()).rejects.toThrow('pg_restore exited with code 1');
    await cp(join(inPlace('backup'), `${B}.dump`), spoilt);
    await other.restore();
    expect(await ask((await other.database(A)).uri, 'SELECT count(*)::int AS rows FROM notes')).toEqual([
      { rows: 1 },
    ]);
  } finally {
    await other.stop();
  }
});

test('databases are backed up while nothing runs, by a server that ends with that', async () => {
  await machine.stop();
  await backUpDatabases({ ...on(inPlace('data')), isRunning: false }, inPlace('stopped'), signal);
  expect(readdirSync(inPlace('stopped')).sort()).toEqual([`${A}.dump`, `${B}.dump`]);
  machine = started(inPlace('data'));
  expect(await ask((await machine.database(A)).uri, 'SELECT id FROM notes')).toEqual([{ id: 1 }]);
});
