import { mkdir, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, vi } from 'vitest';
import { pathHiding } from '../../../lib/processes/hidden-paths.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';

it('folders of this machine are named by other words, and what lies in them keeps the rest of its path', () => {
  const hide = pathHiding([
    ['/srv/data/work/build-1', '.'],
    ['/srv/data/', '<data>'],
  ]);
  const texts = {
    "ENOENT: no such file or directory, open '/srv/data/work/build-1/package.json'":
      "ENOENT: no such file or directory, open './package.json'",
    '/srv/data/work/build-1': '.',
    'in /srv/data/work/build-1.': 'in ..',
    'file:///srv/data/work/build-1/a.js:1:2': 'file://./a.js:1:2',
    '/srv/data/work/build-12/x and /srv/data/work/build-1-2':
      '<data>/work/build-12/x and <data>/work/build-1-2',
    '/srv/data:/srv/data/x': '<data>:<data>/x',
    '/srv/database': '/srv/database',
    'at /usr/lib/python3.11/x.py': 'at /usr/lib/python3.11/x.py',
    '\u001b[31m/srv/data/x\u001b[0m': '\u001b[31m<data>/x\u001b[0m',
    'srv/data': 'srv/data',
    "unable to access 'https://127.0.0.1:1/srv/data/a.git/'":
      "unable to access 'https://127.0.0.1:1/srv/data/a.git/'",
    'https://[::1]/srv/data': 'https://[::1]/srv/data',
    '/opt/srv/data/x': '/opt/srv/data/x',
    '--prefix=/srv/data/x': '--prefix=<data>/x',
  };
  for (const [text, shown] of Object.entries(texts)) expect(hide(text)).toBe(shown);
  expect(hide(`${homedir()}/.npm/_logs/x.log`)).toBe('~/.npm/_logs/x.log');
  expect(hide(`${process.cwd()}/lib/listener/x.ts:1`)).toBe('<slipway>/lib/listener/x.ts:1');
  expect(hide(import.meta.url)).toMatch(/^file:\/\/<slipway>\/test\/unit\/processes\/hidden-paths\.test\.ts/);
});

it('a folder around the data folder is hidden too where the environment names it', () => {
  vi.stubEnv('SLIPWAY_HIDDEN_FOLDER', '/srv/slipway');
  const hide = pathHiding([['/srv/slipway/listener', '<own>']]);
  expect(hide('/srv/slipway/work/build-1/x.ts, /srv/slipway/listener/y')).toBe(
    '<data>/work/build-1/x.ts, <own>/y',
  );
  vi.unstubAllEnvs();
});

it('a folder is known by all of its names, also before it is made', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'a real one'));
  await symlink(join(folder, 'a real one'), join(folder, 'link'));
  const hide = pathHiding([[join(folder, 'link', 'later'), '.']]);
  for (const name of ['link', 'a real one']) {
    const path = join(folder, name, 'later', 'x');
    expect([hide(path), hide(pathToFileURL(path).href)]).toEqual(['./x', 'file://./x']);
  }
});
