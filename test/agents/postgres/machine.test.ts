import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONNECTIONS_PER_DATABASE_MAX, tidyDumps } from '../../../lib/compute/postgres/databases.ts';
import { databaseFolders } from '../../../lib/compute/postgres/folders.ts';
import { MachinePostgres } from '../../../lib/compute/postgres/machine.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { postgresFolder, postgresPrograms, testUser } from '../../support/programs/postgres.ts';
import { until } from '../../support/until.ts';

const A = '00000000-0000-4000-8000-00000000000a';
const B = '00000000-0000-4000-8000-00000000000b';

const processes = new ProcessSupervisor();
const said: string[] = [];
const say = (message: string) => void said.push(message);
let dataFolder: string;
let machine: MachinePostgres;

const started = (inFolder = dataFolder) =>
  new MachinePostgres({
    processes,
    dataFolder: inFolder,
    programs: () => postgresPrograms(processes),
    log: { info: say, warn: say, error: say },
    userName: 'nobody',
  });

const address = async (deploymentId: string) => (await machine.database(deploymentId)).uri;

async function ask(uri: string, query: string): Promise<unknown[]> {
  const client = new Client(uri);
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query(query)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const folder = () => join(dataFolder, 'postgres');

beforeAll(async () => {
  dataFolder = await postgresFolder();
  machine = started();
});
afterAll(async () => {
  await machine.stop();
  await processes.close();
  await rm(dataFolder, { recursive: true, force: true });
});

describe('the PostgreSQL of a machine', () => {
  test('does not run before a database is wanted, nor to remove one that is not there', async () => {
    await machine.remove(A, { keepsDump: true });
    expect(await machine.pid()).toBeUndefined();
    expect(existsSync(folder())).toBe(false);
  });

  test('gives each deployment a database with pgvector, at an address that stays', async () => {
    const [uri, again] = await Promise.all([address(A), address(A)]);
    expect(again).toBe(uri);
    expect(await ask(uri, "SELECT '[1,2,3]'::vector <-> '[1,2,4]' AS distance")).toEqual([{ distance: 1 }]);
    await ask(uri, 'CREATE TABLE kept (line text)');
    expect(await ask(uri, 'SHOW max_connections')).toEqual([{ max_connections: '500' }]);
  });

  test('shuts a role out of all else: other databases, other rights, and the superuser without password', async () => {
    const uri = await address(A);
    await address(B);
    const elsewhere = (database: string) => uri.replace(/@\/[^?]+/, `@/${database}`);
    for (const database of [`deployment_${B.replaceAll('-', '_')}`, 'postgres', 'template1'])
      await expect(ask(elsewhere(database), 'SELECT 1')).rejects.toThrow('permission denied for database');
    await expect(ask(uri, 'CREATE DATABASE more')).rejects.toThrow('permission denied');
    await expect(ask(uri, "COPY kept FROM '/etc/passwd'")).rejects.toThrow('permission denied');
    await expect(ask(uri.replace(/:[^:@]+@/, ':wrong@'), 'SELECT 1')).rejects.toThrow('password');
    expect(
      await ask(uri, 'SELECT rolsuper, rolconnlimit FROM pg_roles WHERE rolname = current_user'),
    ).toEqual([{ rolsuper: false, rolconnlimit: 100 }]);
  });

  test('answers on a socket that its user alone may use, and keeps passwords to its owner', async () => {
    expect(statSync(join(folder(), 'socket')).mode & 0o777).toBe(0o700);
    const [first = ''] = readdirSync(join(folder(), 'passwords'));
    const files = [join('passwords', first), 'superuser-password'];
    for (const file of files) expect(statSync(join(folder(), file)).mode & 0o777).toBe(0o600);
    expect(await ask(await address(A), 'SHOW listen_addresses')).toEqual([{ listen_addresses: '' }]);
  });

  test('is started again when it is killed, with what was committed', async () => {
    const uri = await address(A);
    await ask(uri, "INSERT INTO kept VALUES ('committed')");
    const pid = (await machine.pid()) ?? 0;
    process.kill(pid, 'SIGKILL');
    await until(async () => (await machine.pid()) !== pid, { what: 'another process' });
    expect(await address(A)).toBe(uri);
    expect(await ask(uri, 'SELECT line FROM kept')).toEqual([{ line: 'committed' }]);
    expect(said.some((line) => line.startsWith('PostgreSQL was ended by SIGKILL'))).toBe(true);
  });

  test('has everything after it was stopped and started, and the address is the same', async () => {
    const before = await address(A);
    await machine.stop();
    const ofEarlierRelease = join(folder(), 'postgres-17.9.1');
    mkdirSync(join(ofEarlierRelease, 'bin'), { recursive: true });
    machine = started();
    const uri = await address(A);
    expect(uri).toBe(before);
    expect(existsSync(ofEarlierRelease)).toBe(false);
    expect(await ask(uri, 'SELECT line FROM kept')).toEqual([{ line: 'committed' }]);
  });

  test('refuses a connection beyond the limit of a deployment at once and in words, and no other deployment', async () => {
    const uri = await address(A);
    const open: Client[] = [];
    try {
      for (let count = 0; count < CONNECTIONS_PER_DATABASE_MAX; count++) {
        const client = new Client(uri);
        await client.connect();
        open.push(client);
      }
      await expect(ask(uri, 'SELECT 1')).rejects.toThrow('too many connections for role');
      expect(await ask(await address(B), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    } finally {
      await Promise.all(open.map((client) => client.end()));
    }
  });

  test('gives another installation of the machine its own', async () => {
    const other = await postgresFolder();
    const second = started(other);
    try {
      const { uri } = await second.database(A);
      expect(await ask(uri, "SELECT to_regclass('kept') AS kept")).toEqual([{ kept: null }]);
      expect(await ask(await address(A), 'SELECT count(*)::int AS rows FROM kept')).toEqual([{ rows: 1 }]);
    } finally {
      await second.stop();
      await rm(other, { recursive: true, force: true });
    }
  });

  test('starts after a crash though its pid is another program by now', async () => {
    await machine.stop();
    const user = testUser();
    const stranger = spawn('sleep', ['600'], { stdio: 'ignore', ...user });
    try {
      const lines = [stranger.pid, join(folder(), 'data'), 0, 5432, join(folder(), 'socket'), '', 0];
      writeFileSync(join(folder(), 'data', 'postmaster.pid'), `${lines.join('\n')}\n`);
      writeFileSync(join(folder(), 'socket', '.s.PGSQL.5432.lock'), `${lines.join('\n')}\n`);
      machine = started();
      expect(await ask(await address(A), 'SELECT line FROM kept')).toEqual([{ line: 'committed' }]);
    } finally {
      stranger.kill('SIGKILL');
    }
  });

  test('does not start beside one that runs on the same folder, and says so', async () => {
    await address(A);
    const beside = started();
    await expect(beside.database(A)).rejects.toThrow(`Another PostgreSQL runs on ${folder()}: end that.`);
    await beside.stop();
    expect(await ask(await address(A), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test.each([
    ['of another major version', 'PG_VERSION', '17\n', /are of PostgreSQL 17, .*cannot read them.*backup/s],
    ['that it has not made', 'PG_VERSION', undefined, /was not made by it/],
    ['whose password is another', '../superuser-password', 'wrong', /does not take the password in /],
  ])('does not start on data %s, and changes nothing', async (_what, name, content, words) => {
    await machine.stop();
    const file = join(folder(), 'data', name);
    const before = readFileSync(file);
    if (content === undefined) rmSync(file);
    else writeFileSync(file, content);
    machine = started();
    await expect(machine.database(A)).rejects.toThrow(words);
    await machine.stop();
    writeFileSync(file, before);
    machine = started();
    expect(await ask(await address(A), 'SELECT line FROM kept')).toEqual([{ line: 'committed' }]);
  });

  test('removes the database of a deployment with a dump, which goes after seven days, or without one', async () => {
    const uri = await address(A);
    const other = await address(B);
    await machine.remove(A, { keepsDump: true });
    await machine.remove(B, { keepsDump: false });
    for (const gone of [uri, other]) await expect(ask(gone, 'SELECT 1')).rejects.toThrow('ENOENT');
    const folders = await databaseFolders(dataFolder);
    const [dump = '', ...more] = readdirSync(folders.dumps);
    expect(more).toEqual([]);
    expect(dump).toMatch(/^deployment_0.*\.dump$/);
    expect(statSync(join(folders.dumps, dump)).mode & 0o777).toBe(0o600);
    expect(readdirSync(folders.passwords)).toEqual([]);
    // There is nothing left to run for.
    expect(await machine.pid()).toBeUndefined();
    await tidyDumps(folders);
    expect(readdirSync(folders.dumps)).toEqual([dump]);
    const old = new Date(Date.now() - 7.1 * 24 * 60 * 60_000);
    utimesSync(join(folders.dumps, dump), old, old);
    await tidyDumps(folders);
    expect(readdirSync(folders.dumps)).toEqual([]);
  });

  test('keeps no dump of before, where none is wanted', async () => {
    const { dumps } = await databaseFolders(dataFolder);
    const kept = [];
    for (const one of [A, B]) {
      await address(one);
      await machine.remove(one, { keepsDump: true });
      kept.push(readdirSync(dumps).length);
    }
    expect(kept).toEqual([1, 2]);
    await machine.remove(A, { keepsDump: false });
    expect(readdirSync(dumps)).toEqual([expect.stringContaining(B.replaceAll('-', '_'))]);
  });

  test('removes dumps whose time is over when it is made, though no server runs', async () => {
    const { dumps } = await databaseFolders(dataFolder);
    const [old, recent] = [join(dumps, 'old.dump'), join(dumps, 'recent.dump')];
    for (const file of [old, recent]) writeFileSync(file, '');
    const before = new Date(Date.now() - 7.1 * 24 * 60 * 60_000);
    utimesSync(old, before, before);
    await machine.stop();
    machine = started();
    await until(() => !existsSync(old), { what: 'the dump to go' });
    expect(existsSync(recent)).toBe(true);
    expect(await machine.pid()).toBeUndefined();
  });
});
