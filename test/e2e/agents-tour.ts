import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { temporaryFolder } from '../support/files/temporary-folder.ts';
import type { Program } from '../support/programs/program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/**
 * Runs what an example's README tells a reader to paste, in one shell; only the folder it copies to is
 * another one.
 */
export async function expectTour(program: Program, example: string): Promise<void> {
  const readme = await readFile(join(root, 'examples', example, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  expect(blocks.length).toBeGreaterThan(4);
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'clone/examples'), { recursive: true });
  await cp(join(root, 'examples', example), join(folder, 'clone/examples', example), { recursive: true });
  await symlink(program.dataFolder, join(folder, 'clone/.slipway'));
  const script = blocks.join('\n').replaceAll(`/tmp/${example}`, join(folder, example));
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: join(folder, 'clone') });
  const words = stdout
    .split('\n')
    .filter((line) => /^(v\d: |DEPLOYED|[A-Z]+_FAILED|data: .*"word")/.test(line));
  expect(words).toEqual([
    'DEPLOYED',
    'v1: HELLO THERE!',
    expect.stringContaining('HELLO'),
    expect.stringContaining('THERE'),
    'DEPLOYED',
    'v2: HELLO THERE!',
    'DEPLOYED',
    'v1: HELLO THERE!',
    'DEPLOYED',
    'v1: HELLO THERE?!',
  ]);
}
