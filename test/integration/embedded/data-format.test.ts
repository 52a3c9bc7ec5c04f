import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkDataFormat } from '../../../lib/embedded/data-folder/format.ts';
import { childEnvironment } from '../../../lib/processes/environment.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';

/** Starts the program on a data folder that it refuses; gives its exit code and what it says. */
async function refusedStart(dataFolder: string): Promise<{ code: unknown; said: string }> {
  const program = spawn(
    process.execPath,
    [fileURLToPath(new URL('../../../bin/local.ts', import.meta.url))],
    {
      env: childEnvironment({ PORT: '0', SLIPWAY_DATA_DIR: dataFolder }),
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  onTestFinished(() => void program.kill('SIGKILL'));
  const [said, [code]] = await Promise.all([text(program.stderr), once(program, 'close')]);
  return { code, said: said.trim() };
}

const refusal = (folder: string, found: string) =>
  `The data in ${folder} is of ${found} of Slipway, which this release cannot read (it reads format 1). ` +
  'Choose another folder with SLIPWAY_DATA_DIR, or delete this one and lose its deployments.';

describe('a data folder of another release', () => {
  it.each(['table.db', 'secret.key'])(
    'is refused at the start, and left as it is: a preview’s %s',
    async (name) => {
      const folder = await temporaryFolder();
      await writeFile(join(folder, name), 'of a preview');
      expect(await refusedStart(folder)).toEqual({ code: 1, said: refusal(folder, 'an earlier preview') });
      expect(await readFile(join(folder, name), 'utf8')).toBe('of a preview');
      await expect(stat(join(folder, 'format'))).rejects.toThrow('ENOENT');
    },
  );

  it('is refused with the format that it says', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'format'), '2\n');
    await expect(checkDataFormat(folder)).rejects.toThrow(refusal(folder, 'format 2'));
  });
});

describe('a data folder of this release', () => {
  it('is known again, whatever was stored in it since', async () => {
    const folder = await temporaryFolder();
    await checkDataFormat(folder);
    await writeFile(join(folder, 'table.db'), '');
    await checkDataFormat(folder);
    expect(await readFile(join(folder, 'format'), 'utf8')).toBe('1\n');
  });
});
