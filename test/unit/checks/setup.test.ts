import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readFile, readlink, symlink, utimes } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { writeFiles } from '../../support/files/write-files.ts';

const run = promisify(execFile);
const which = async (tool: string): Promise<string> =>
  (await run('/bin/sh', ['-c', `command -v ${tool}`])).stdout.trim();
const script = fileURLToPath(new URL('../../../bin/setup.sh', import.meta.url));
const prints = (text: string) => `#!/bin/sh\necho ${text}\n`;
const OURS = 'node_modules/.bin/node';

/**
 * A clone with nothing but a lockfile, on a machine with this Node; its npm installs the given one, if any,
 * and links it as npm 10 does not.
 */
async function clone({ own, ours, linked = true }: { own?: string; ours?: string; linked?: boolean }) {
  const folder = await temporaryFolder();
  const npm = `#!/bin/sh
echo "npm $*" >>npm-calls
mkdir -p node_modules/.bin node_modules/node-here/bin
if [ -e ours ]; then
  cp ours node_modules/node-here/bin/node
  chmod +x node_modules/node-here/bin/node
  ${linked ? `ln -sf ../node-here/bin/node ${OURS}` : ''}
fi
touch node_modules/.package-lock.json
`;
  await writeFiles(folder, {
    'package-lock.json': '{}',
    'machine/npm': npm,
    ...(own !== undefined && { 'machine/node': own }),
    ...(ours !== undefined && { ours }),
  });
  await Promise.all(
    ['npm', 'node'].map((name) => chmod(join(folder, 'machine', name), 0o755).catch(() => {})),
  );
  const system = await temporaryFolder();
  for (const tool of ['uname', 'rm', 'cp', 'mkdir', 'chmod', 'touch', 'ln']) {
    await symlink(await which(tool), join(system, tool));
  }
  // As npm has it when it runs a script.
  const PATH = [join(folder, 'node_modules/.bin'), join(folder, 'machine'), system].join(delimiter);
  return {
    folder,
    setup: () => {
      const options = { cwd: folder, env: { PATH }, encoding: 'utf8' } as const;
      return spawnSync('/bin/sh', [script], options).stderr;
    },
    installs: async () =>
      (await readFile(join(folder, 'npm-calls'), 'utf8')).split('\n').filter(Boolean).length,
  };
}

it('installs once, until the lockfile changes', async () => {
  const { setup, installs, folder } = await clone({ ours: prints('v24.21.0'), own: prints('v20.20.2') });
  expect([setup(), setup(), await installs()]).toEqual(['', '', 1]);
  const later = new Date(Date.now() + 60_000);
  await utimes(join(folder, 'package-lock.json'), later, later);
  expect([setup(), await installs()]).toEqual(['', 2]);
});

it.each(['v24.0.0', 'v26.10.0', 'v100.1.0'])(
  'goes on with the user’s Node %s where there is none of ours',
  async (version) => {
    const { setup } = await clone({ own: prints(version) });
    expect(setup()).toBe('');
  },
);

it('links ours where npm has not', async () => {
  const { setup, folder } = await clone({ ours: prints('v24.21.0'), linked: false, own: prints('v20.20.2') });
  expect([setup(), setup()]).toEqual(['', '']);
  expect(await readlink(join(folder, OURS))).toBe('../node-here/bin/node');
});

it('takes one of ours that does not run out of the way', async () => {
  const { setup, folder } = await clone({
    ours: '#!/bin/sh\necho no such loader >&2\nexit 1\n',
    own: prints('v24.3.0'),
  });
  expect(setup()).toBe('');
  expect(existsSync(join(folder, OURS))).toBe(false);
});

it.each([
  ['v20.20.2', prints('v20.20.2')],
  ['v8.0.0', prints('v8.0.0')],
  ['missing', undefined],
])('says what to install where the only Node is %s, and tries again the next time', async (shown, own) => {
  const { setup, installs } = await clone({ ...(own !== undefined && { own }) });
  const said = setup();
  expect(said).toMatch(
    /^Slipway needs Node\.js 24 or newer: npm installed none [^\n]+ Install one from https:\/\/nodejs\.org, then run this again\.\n$/,
  );
  expect(said).toContain(`yours is ${shown}.`);
  setup();
  expect(await installs()).toBe(2);
});
