import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { backUp } from '../../../lib/backup/back-up.ts';
import { copyFolder } from '../../../lib/backup/copy.ts';
import { restore } from '../../../lib/backup/restore.ts';
import { lockDataFolder } from '../../../lib/embedded/data-folder/lock.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';

const options = () => ({ postgresUser: 'nobody', signal: new AbortController().signal });

/** A listener's folder with what agents have: links, programs, and folders that may not be written to. */
async function listenerFolder(): Promise<string> {
  const folder = join(await temporaryFolder(), 'listener');
  const revision = join(folder, 'deployments/d/revisions/r');
  await mkdir(join(revision, 'bin'), { recursive: true });
  await writeFile(join(folder, 'listener.lock'), '{}');
  await writeFile(join(folder, 'state.json'), '{"version":1}', { mode: 0o600 });
  await writeFile(join(revision, 'bin/run'), '#!/bin/sh\n', { mode: 0o755 });
  await writeFile(join(revision, 'empty'), '');
  await symlink('bin/run', join(revision, 'link'));
  await symlink('/nowhere', join(revision, 'broken'));
  await mkdir(join(revision, 'closed'));
  await writeFile(join(revision, 'closed/file'), 'x'.repeat(200_000), { mode: 0o444 });
  await chmod(join(revision, 'closed'), 0o555);
  return folder;
}

const below = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

describe("a backup of a listener's folder", () => {
  it('brings back links, programs and rights, and nothing of its processes', async () => {
    const dataFolder = await listenerFolder();
    const place = await temporaryFolder();
    const to = join(place, 'backup');
    const made = await backUp({ ...options(), dataFolder, to });
    expect(made).toEqual({ files: 4, bytes: 13 + 10 + 200_000, databases: 0 });
    const restored = join(place, 'restored');
    await restore({ ...options(), dataFolder: restored, from: to });
    expect(below(restored)).toEqual(below(dataFolder));
    const revision = join(restored, 'deployments/d/revisions/r');
    expect(statSync(join(revision, 'bin/run')).mode & 0o777).toBe(0o755);
    expect(statSync(join(revision, 'closed')).mode & 0o777).toBe(0o555);
    expect(statSync(join(revision, 'closed/file')).mode & 0o777).toBe(0o444);
    expect(readlinkSync(join(revision, 'link'))).toBe('bin/run');
    expect(readlinkSync(join(revision, 'broken'))).toBe('/nowhere');
    expect(readFileSync(join(revision, 'closed/file'), 'utf8')).toHaveLength(200_000);
    await chmod(join(revision, 'closed'), 0o755);
    await chmod(join(dataFolder, 'deployments/d/revisions/r/closed'), 0o755);
  });

  it('that is ended half way leaves nothing', async () => {
    const dataFolder = await listenerFolder();
    const place = await temporaryFolder();
    const signal = AbortSignal.abort(new Error('ended'));
    const made = backUp({ ...options(), signal, dataFolder, to: join(place, 'backup') });
    await expect(made).rejects.toThrow('ended');
    expect(readdirSync(place)).toEqual([]);
    await chmod(join(dataFolder, 'deployments/d/revisions/r/closed'), 0o755);
  });

  it('whose restore fails half way leaves the folder empty', async () => {
    const dataFolder = await listenerFolder();
    const place = await temporaryFolder();
    const to = join(place, 'backup');
    await backUp({ ...options(), dataFolder, to });
    const ending = new AbortController();
    let looks = 0;
    const signal = Object.assign(ending.signal, {
      throwIfAborted: () => {
        looks += 1;
        if (looks > 14) throw new Error('ended');
      },
    });
    const restored = join(place, 'restored');
    await expect(restore({ ...options(), signal, dataFolder: restored, from: to })).rejects.toThrow('ended');
    expect(readdirSync(restored)).toEqual([]);
    await chmod(join(dataFolder, 'deployments/d/revisions/r/closed'), 0o755);
  });

  it('refuses a list that leads out of the folder', async () => {
    const place = await temporaryFolder();
    const list = {
      version: 1,
      made_at: '',
      kind: 'listener',
      entries: [{ path: 'data/../../x', link: 'y' }],
    };
    await writeFile(join(place, 'backup.json'), JSON.stringify(list));
    const made = restore({ ...options(), dataFolder: join(place, 'restored'), from: place });
    await expect(made).rejects.toThrow('names data/../../x, which is outside of it');
  });

  it('names the release to take for a backup of another version', async () => {
    const place = await temporaryFolder();
    await writeFile(join(place, 'backup.json'), JSON.stringify({ version: 2 }));
    const made = restore({ ...options(), dataFolder: join(place, 'restored'), from: place });
    await expect(made).rejects.toThrow('is of version 2, and this release reads 1');
  });
});

describe('a backup of an installation', () => {
  it('has its databases as they were at one moment, while another program writes them', async () => {
    const dataFolder = join(await temporaryFolder(), 'data');
    const supervisor = new ProcessSupervisor();
    const lock = await lockDataFolder(dataFolder, supervisor.id);
    await writeFile(join(dataFolder, 'format'), '1\n');
    const database = new DatabaseSync(join(dataFolder, 'table.db'));
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE pairs (id INTEGER, side TEXT)');
    let pairs = 0;
    const write = () => {
      database.exec(
        `BEGIN; INSERT INTO pairs VALUES (${pairs}, 'a'); INSERT INTO pairs VALUES (${pairs}, 'b'); COMMIT`,
      );
      pairs += 1;
    };
    for (let count = 0; count < 5_000; count++) write();
    const writing = setInterval(write, 0);
    const to = join(await temporaryFolder(), 'backup');
    await backUp({ ...options(), dataFolder, to });
    clearInterval(writing);
    database.close();
    lock.release();
    await supervisor.close();
    const copy = new DatabaseSync(join(to, 'data/table.db'));
    const [odd] = copy
      .prepare('SELECT count(*) AS n FROM (SELECT id FROM pairs GROUP BY id HAVING count(*) <> 2)')
      .all();
    const [all] = copy.prepare('SELECT count(DISTINCT id) AS n FROM pairs').all();
    copy.close();
    expect(odd).toEqual({ n: 0 });
    expect(Number(all?.n)).toBeGreaterThanOrEqual(5_000);
    expect(existsSync(join(to, 'data/run.lock'))).toBe(false);
  });
});

it('a second copy adds what is new, and touches nothing of the first', async () => {
  const [from, to] = [await temporaryFolder(), join(await temporaryFolder(), 'copy')];
  const { signal } = options();
  await mkdir(join(from, 'folder'));
  await writeFile(join(from, 'folder/old'), 'old');
  const first = await copyFolder(from, to, 'data', { signal });
  await writeFile(join(from, 'folder/old'), 'changed');
  await writeFile(join(from, 'folder/new'), 'new');
  const already = new Set(first.map(({ path }) => path));
  const second = await copyFolder(from, to, 'data', { already, signal });
  expect(second.map(({ path }) => path)).toEqual(['data/folder/new']);
  expect(readFileSync(join(to, 'folder/old'), 'utf8')).toBe('old');
  expect(lstatSync(join(to, 'folder/new')).size).toBe(3);
});
