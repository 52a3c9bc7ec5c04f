import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tidyDumps } from '../../../lib/compute/postgres/databases.ts';
import { MachinePostgres } from '../../../lib/compute/postgres/machine.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { postgresFolder, postgresPrograms } from '../../support/programs/postgres.ts';
import { until } from '../../support/until.ts';

const A = '00000000-0000-4000-8000-00000000000a';
const B = '00000000-0000-4000-8000-00000000000b';

const processes = new ProcessSupervisor();
const said: string[] = [];
const say = (message: string) => void said.push(message);
let dataFolder: string;
let machine: MachinePostgres;

const started = () =>
  new MachinePostgres({
    processes,
    dataFolder,
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
    machine = started();
    const uri = await address(A);
    expect(uri).toBe(before);
    expect(await ask(uri, 'SELECT line FROM kept')).toEqual([{ line: 'committed' }]);
  });

  test('removes the database of a deployment with a dump, which goes after seven days, or without one', async () => {
    const uri = await address(A);
    const other = await address(B);
    await machine.remove(A, { keepsDump: true });
    await machine.remove(B, { keepsDump: false });
    for (const gone of [uri, other])
      await expect(ask(gone, 'SELECT 1')).rejects.toThrow('authentication failed');
    const folders = { dumps: join(folder(), 'dumps'), passwords: join(folder(), 'passwords') };
    const [dump = '', ...more] = readdirSync(folders.dumps);
    expect(more).toEqual([]);
    expect(dump).toMatch(/^deployment_0.*\.dump$/);
    expect(readdirSync(folders.passwords)).toEqual([]);
    await tidyDumps(folders);
    expect(readdirSync(folders.dumps)).toEqual([dump]);
    const old = new Date(Date.now() - 7.1 * 24 * 60 * 60_000);
    utimesSync(join(folders.dumps, dump), old, old);
    await tidyDumps(folders);
    expect(readdirSync(folders.dumps)).toEqual([]);
  });
});
