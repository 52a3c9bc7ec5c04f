import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** The files below lib and functions whose text has the word. */
async function filesWith(word: RegExp): Promise<string[]> {
  const folders = ['lib', 'functions'].map(async (folder) =>
    (await readdir(folder, { recursive: true })).map((name) => join(folder, name)),
  );
  const files = (await Promise.all(folders)).flat().filter((file) => file.endsWith('.ts'));
  const found = await Promise.all(
    files.map(async (file) => (word.test(await readFile(file, 'utf8')) ? [file] : [])),
  );
  return found.flat().sort();
}

it('no module of the store passes keys or expressions on under its own name', async () => {
  expect(
    await filesWith(
      /^export \{[^}]*\} from '\S*\/(expressions|reads|looks|revision-moves|keys\/\w+)\.ts'|^export \*/m,
    ),
  ).toEqual([]);
});

it('nothing scans the table', async () => {
  expect(await filesWith(/ScanCommand|TableScan/)).toEqual([]);
});

it('only what sweep is made of reads an index', async () => {
  const reading = await filesWith(/\bIndexName:/);
  expect(reading.filter((file) => file !== 'lib/store/table.ts')).toEqual(['lib/store/due.ts']);
});

it('nothing relies on begins_with, which ignores case in the embedded database', async () => {
  expect(await filesWith(/begins_with\s*\(/)).toEqual([]);
});
