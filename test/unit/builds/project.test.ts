import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPackageJson } from '../../../lib/builds/project.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { type Files, writeFiles } from '../../support/files/write-files.ts';

async function read(files: Files) {
  const base = await temporaryFolder();
  await writeFiles(base, files);
  return readPackageJson(join(base, 'source'), join(base, 'source/a'));
}

const SECRET = '{"scripts":{"build":"of the machine"}}';

describe('package.json', () => {
  it('is read where it lies, also by a link inside of the source', async () => {
    const found = await read({ 'source/b.json': SECRET, 'source/a/package.json': { link: '../b.json' } });
    expect(found?.scripts).toEqual({ build: 'of the machine' });
    expect(await read({ 'source/a/b': '' })).toBeUndefined();
  });

  it('is none when it leads out of the source, to files of the machine that builds', async () => {
    expect(
      await read({ 'elsewhere.json': SECRET, 'source/a/package.json': { link: '../../elsewhere.json' } }),
    ).toBeUndefined();
  });

  it.each([
    ['{"name": "secret', /^package\.json is not valid JSON at line 1 column \d+$/],
    ['[]', /^package\.json is not a JSON object$/],
  ])('that is %j is refused, without being quoted', async (text, reason) => {
    await expect(read({ 'source/a/package.json': text })).rejects.toThrow(reason);
  });
});
