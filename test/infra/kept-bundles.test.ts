import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { digestOf, keptFolder } from '../../lib/infra/kept-bundles.ts';
import { temporaryFolder } from '../support/files/temporary-folder.ts';
import { writeFiles } from '../support/files/write-files.ts';

/** Makes a folder of one file, and counts how often. */
function maker() {
  const made: string[] = [];
  const make = (text: string) => async (folder: string) => {
    made.push(text);
    await writeFile(join(folder, 'text'), text);
  };
  return { made, make };
}

it('a change of a file, of its name or of a byte beside it changes the digest; packages do not', async () => {
  const folder = await temporaryFolder();
  await writeFiles(folder, { 'lib/a.ts': 'one', 'lib/b.ts': 'two', 'package-lock.json': '{}' });
  const seen = [digestOf(folder)];
  await writeFiles(folder, { 'lib/node_modules/a/index.js': '', 'test/a.test.ts': '' });
  expect(digestOf(folder)).toBe(seen[0]);
  for (const files of [
    { 'lib/a.ts': 'one!' },
    { 'lib/c.ts': '' },
    { 'lib/a.ts': 'one!t', 'lib/b.ts': 'wo' },
    { 'package-lock.json': '{ }' },
  ]) {
    await writeFiles(folder, files);
    seen.push(digestOf(folder));
  }
  expect(new Set(seen).size).toBe(seen.length);
});

it('what is kept is one folder, also when two make it at once, and is not made again', async () => {
  const cache = join(await temporaryFolder(), 'cache');
  const { made, make } = maker();
  const [one, other] = await Promise.all([
    keptFolder(cache, 'a', make('first')),
    keptFolder(cache, 'a', make('first')),
  ]);
  expect(other).toBe(one);
  const count = made.length;
  expect(await keptFolder(cache, 'a', make('second'))).toBe(one);
  expect(made).toHaveLength(count);
  expect(await readFile(join(one, 'text'), 'utf8')).toBe('first');
  expect(await readdir(cache)).toEqual(['a']);
});

it('what fails half way is made again, and what nobody has used for an hour is deleted', async () => {
  const cache = join(await temporaryFolder(), 'cache');
  const { make } = maker();
  const failing = async (folder: string) => {
    await make('half')(folder);
    throw new Error('no space');
  };
  await expect(keptFolder(cache, 'a', failing)).rejects.toThrow('no space');
  expect(await readdir(cache)).toEqual([]);
  await keptFolder(cache, 'a', make('whole'));
  await mkdir(join(cache, 'unfinished-1'));
  const longAgo = new Date(Date.now() - 2 * 3_600_000);
  for (const name of ['a', 'unfinished-1']) await utimes(join(cache, name), longAgo, longAgo);
  await keptFolder(cache, 'b', make('next'));
  expect(await readdir(cache)).toEqual(['b']);
});
