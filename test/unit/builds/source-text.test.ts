import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readSourceFiles } from '../../../lib/builds/detect/source-files.ts';
import { packagesInputs } from '../../../lib/builds/install-inputs.ts';
import { refuseLfsPointers } from '../../../lib/builds/lfs.ts';
import { readOwn } from '../../../lib/builds/project.ts';
import { SOURCE_TEXT_BYTES_MAX } from '../../../lib/builds/source-text.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { writeFiles } from '../../support/files/write-files.ts';

it.each([
  ['package-lock.json', (root: string) => packagesInputs({ root, folder: root })],
  ['langgraph.json', (root: string) => readOwn(root, join(root, 'langgraph.json'))],
  ['.gitattributes', (root: string) => refuseLfsPointers(root)],
])('a %s of any size is not read into memory', async (name, read) => {
  const root = await temporaryFolder();
  await writeFiles(root, { 'package.json': '{}', [name]: '' });
  await truncate(join(root, name), SOURCE_TEXT_BYTES_MAX + 1);
  const reason = `${name} has ${SOURCE_TEXT_BYTES_MAX + 1} bytes; a file that says how a project is built has at most`;
  await expect(read(root)).rejects.toThrow(reason);
});

it('texts of a source are read up to a limit, those of its own folder first', async () => {
  const root = await temporaryFolder();
  const size = 512 * 1024;
  const many = Array.from({ length: 100 }, (_, number) => `a/${number}/main.py`);
  await writeFiles(root, Object.fromEntries([...many, 'main.py'].map((path) => [path, 'x'.repeat(size)])));
  const files = await readSourceFiles(root, root);
  expect(files.size).toBe(101);
  expect(files.get('main.py')).toHaveLength(size);
  expect([...files.values()].join('')).toHaveLength(64 * size);
});
