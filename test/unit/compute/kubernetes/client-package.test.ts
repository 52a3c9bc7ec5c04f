import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bringClientPackage } from '../../../../lib/compute/kubernetes/client-package.ts';
import { temporaryFolder } from '../../../support/files/temporary-folder.ts';
import { type Files, writeFiles } from '../../../support/files/write-files.ts';

const PACKAGE = 'node_modules/@kubernetes/client-node/package.json';
/** Brings the package, as the real one does, and ends with this code. */
const setup = (code: number) => `echo "$*" >>calls
if [ ${code} = 0 ]; then mkdir -p node_modules/@kubernetes/client-node; echo '{}' >${PACKAGE}; fi
exit ${code}
`;

async function cloneWith(files: Files) {
  const folder = await temporaryFolder();
  await writeFiles(folder, files);
  return {
    bring: () => bringClientPackage(folder),
    isThere: () => existsSync(join(folder, PACKAGE)),
    calls: () => readFile(join(folder, 'calls'), 'utf8').catch(() => ''),
  };
}

it('has the client installed by the first start that needs it, and by no other', async () => {
  const { bring, isThere, calls } = await cloneWith({ 'bin/setup.sh': setup(0) });
  await bring();
  expect([isThere(), await calls()]).toEqual([true, 'kubernetes\n']);
  await bring();
  expect(await calls()).toBe('kubernetes\n');
});

it('does not take one for whole while an install is under way, or has not ended', async () => {
  const torn = { [PACKAGE]: '{}', 'node_modules/.slipway/before.json': '{"packages":{}}' };
  const { bring, calls } = await cloneWith({ 'bin/setup.sh': setup(0), ...torn });
  await bring();
  expect(await calls()).toBe('kubernetes\n');
});

it('installs nothing in an image, which has it', async () => {
  const { bring } = await cloneWith({ [PACKAGE]: '{}' });
  await expect(bring()).resolves.toBeUndefined();
});

it.each([
  ['where it cannot be installed', { 'bin/setup.sh': setup(1) }, /could not be installed.+ from its image/],
  ['in an image without it', {}, /Build the image with Slipway's Dockerfile/],
])('says what to do %s', async (_where, files, message) => {
  const { bring } = await cloneWith(files);
  await expect(bring()).rejects.toThrow(message);
});
