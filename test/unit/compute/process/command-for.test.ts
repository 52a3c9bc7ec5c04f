import { mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandFor as commandOf } from '../../../../lib/compute/process/command-for.ts';
import { findPythons } from '../../../../lib/processes/python/interpreters.ts';
import { temporaryFolder } from '../../../support/files/temporary-folder.ts';

async function folderOf(files: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

const AGENTS_URL = 'http://localhost:4401/d';
const plain = { graph_config_path: 'langgraph.json', deployment_name: 'shop', custom_url: null };
const commandFor = (folder: string, spec: Partial<Parameters<typeof commandOf>[1]> = {}) =>
  commandOf(folder, { ...plain, ...spec }, AGENTS_URL);
const scripts = (all: Record<string, string>) => JSON.stringify({ scripts: all });

describe('the command that a build has written down', () => {
  it('is run in its folder, whatever the files say', async () => {
    const folder = await folderOf({
      '.slipway-start.json': JSON.stringify({ folder: 'apps/api', line: './server', from: 'a Go server' }),
      'package.json': scripts({ start: 'node a.js' }),
      'apps/api/node_modules/.bin/tool': '',
    });
    const command = await commandFor(folder);
    expect(command).toMatchObject({ cwd: join(folder, 'apps/api'), from: 'a Go server' });
    expect(command.start.kind === 'words' && command.start.words(1)).toEqual(['./server']);
    expect(command.toolFolders).toEqual([join(folder, 'apps/api/node_modules/.bin')]);
  });

  it.each([
    { folder: '..', line: 'true', from: 'x' },
    { folder: 'out', line: 'true', from: 'x' },
    { folder: '.', venv: '../../.venv', line: 'true', from: 'x' },
  ])('is refused where it leads out of the artifact: %j', async (start) => {
    const folder = await folderOf({ '.slipway-start.json': JSON.stringify(start) });
    await symlink('/tmp', join(folder, 'out'));
    const [path] = [start.venv ?? start.folder];
    await expect(commandFor(folder)).rejects.toThrow(`names '${path}', which lies outside of it`);
  });

  it('has the tools of its Python environment first, with the interpreter that is here', async () => {
    const folder = await realpath(
      await folderOf({
        '.slipway-start.json': JSON.stringify({ folder: '.', line: 'uvicorn a:b', from: 'x', venv: '.venv' }),
        '.venv/pyvenv.cfg': 'home = /elsewhere/bin\n',
        '.venv/bin/uvicorn': '#!/built/here/.venv/bin/python\n',
      }),
    );
    const [python] = await findPythons(process.env.PATH ?? '');
    const seal = { python: python?.version, root: '/built/here' };
    await writeFile(join(folder, '.venv/slipway.json'), JSON.stringify(seal));
    const command = await commandFor(folder);
    expect(command.toolFolders).toEqual([join(folder, '.venv/bin')]);
    expect(command.variables).toMatchObject({ VIRTUAL_ENV: join(folder, '.venv') });
    expect(await readFile(join(folder, '.venv/bin/uvicorn'), 'utf8')).toBe(`#!${folder}/.venv/bin/python\n`);
    expect(await realpath(join(folder, '.venv/bin/python'))).toBe(await realpath(python?.executable ?? ''));
  });
});

describe('the start_command of a deployment', () => {
  it('takes the place of what a build has written down, but for its folder and its release line', async () => {
    const folder = await folderOf({
      '.slipway-start.json': JSON.stringify({ folder: 'api', line: './a', from: 'x', release: './migrate' }),
      'api/a': '',
    });
    const command = await commandFor(folder, { start_command: './b --port $PORT' });
    expect(command).toMatchObject({
      cwd: join(folder, 'api'),
      from: 'the start_command of the deployment',
      release: './migrate',
    });
    expect(command.start.kind === 'words' && command.start.words(8123)).toEqual(['./b', '--port', '8123']);
  });

  it('is asked for again where nothing else starts what was built', async () => {
    const written = { folder: '.', from: 'start_command' };
    const folder = await folderOf({
      '.slipway-start.json': JSON.stringify(written),
      'package.json': scripts({ start: 'node a.js' }),
    });
    await expect(commandFor(folder, { start_command: '' })).rejects.toThrow(
      /only a start_command starts .* Set source_config\.start_command again\.$/,
    );
    expect(await commandFor(folder, { start_command: './b' })).toMatchObject({ start: { kind: 'words' } });
  });

  it('starts what says nothing, and an agent project with its Python', async () => {
    const folder = await realpath(
      await folderOf({ 'apps/a/.venv/pyvenv.cfg': 'home = /x\n', 'apps/a/.venv/bin/x': '' }),
    );
    const spec = { start_command: 'x', graph_config_path: 'apps/a/langgraph.json' };
    expect((await commandFor(folder, spec)).toolFolders).toEqual([]);
    const [python] = await findPythons(process.env.PATH ?? '');
    const seal = { python: python?.version, root: '/built/here' };
    await writeFile(join(folder, 'apps/a/.venv/slipway.json'), JSON.stringify(seal));
    const command = await commandFor(folder, spec);
    expect(command.cwd).toBe(join(folder, 'apps/a'));
    expect(command.toolFolders).toEqual([join(folder, 'apps/a/.venv/bin')]);
  });
});

describe('what uvicorn is told of the paths before its own', () => {
  it.each([
    ['uvicorn main:app --port $PORT', null, '/d/shop'],
    ['.venv/bin/uvicorn main:app', null, '/d/shop'],
    ['python -m uvicorn main:app', null, '/d/shop'],
    ['uvicorn main:app', 'https://shop.example/team/', '/team'],
    ['uvicorn main:app', 'shop.example', undefined],
    ['gunicorn -k uvicorn.workers.UvicornWorker main:app', null, undefined],
    ['node server.js', null, undefined],
  ])('by `%s` at %s is %s', async (start_command, custom_url, expected) => {
    const { variables = {} } = await commandFor(await folderOf({}), { start_command, custom_url });
    expect(variables.UVICORN_ROOT_PATH).toBe(expected);
    expect(Object.keys(variables)).not.toContain('SCRIPT_NAME');
  });
});

describe('choosing the command of an artifact whose build has written down none', () => {
  it('takes the start script before the Procfile, as that build did', async () => {
    const files = { 'package.json': scripts({ start: 'node a.js' }), Procfile: 'web: other' };
    const { from } = await commandFor(await folderOf(files));
    expect(from).toBe('the start script of package.json');
  });

  it('takes the Procfile where there is no start script', async () => {
    const folder = await folderOf({ 'package.json': scripts({ build: 'x' }), Procfile: 'web: node a.js' });
    expect(await commandFor(folder)).toMatchObject({
      start: { kind: 'words', dropsNames: false },
      from: 'the web line of the Procfile',
      cwd: folder,
      toolFolders: [],
    });
  });

  it('leaves to npm what only npm does', async () => {
    const folder = await folderOf({ 'package.json': scripts({ prestart: 'x', start: 'node a.js' }) });
    const { start } = await commandFor(folder);
    expect(start).toMatchObject({ kind: 'words', dropsNames: true });
    expect(start.kind === 'words' && start.words(1)).toEqual(['npm', 'run', '--silent', 'start']);
  });

  it('takes the web line of a Procfile', async () => {
    const folder = await folderOf({
      Procfile: 'worker: no\nweb:  ./serve --port $PORT  \n',
      'package.json': '{}',
    });
    const { start } = await commandFor(folder);
    expect(start.kind === 'words' && start.words(8123)).toEqual(['./serve', '--port', '8123']);
  });

  it('runs in the folder of the configuration, with the tools of it and of those above', async () => {
    const folder = await folderOf({
      'apps/agent/package.json': scripts({ start: 'serve' }),
      'apps/agent/node_modules/.bin/serve': '',
      'node_modules/.bin/tool': '',
    });
    const command = await commandFor(folder, { graph_config_path: 'apps/agent/langgraph.json' });
    expect(command.cwd).toBe(join(folder, 'apps/agent'));
    expect(command.toolFolders).toEqual([
      join(folder, 'apps/agent/node_modules/.bin'),
      join(folder, 'node_modules/.bin'),
    ]);
  });

  it.each(['../outside/langgraph.json', '/etc/langgraph.json', 'missing/langgraph.json'])(
    'stays at the root of the artifact for %s',
    async (path) => {
      const folder = await folderOf({ 'package.json': scripts({ start: 'node a.js' }) });
      expect((await commandFor(folder, { graph_config_path: path })).cwd).toBe(folder);
    },
  );

  it('reads a package.json with a byte order mark', async () => {
    const folder = await folderOf({ 'package.json': `\ufeff${scripts({ start: 'node a.js' })}` });
    const { start } = await commandFor(folder);
    expect(start.kind === 'words' && start.words(1)).toEqual(['node', 'a.js']);
  });

  it('says what is missing, and what cannot be read', async () => {
    const empty = await folderOf({ 'package.json': scripts({ build: 'x' }) });
    await expect(commandFor(empty)).rejects.toThrow(/no "start" script in package.json and no "web:" line/);
    const broken = await folderOf({ 'package.json': '{' });
    await expect(commandFor(broken)).rejects.toThrow(/package\.json cannot be read/);
  });
});
