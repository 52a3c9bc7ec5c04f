import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandFor } from '../../../../lib/compute/process/command-for.ts';
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

const atRoot = { graph_config_path: 'langgraph.json' };
const scripts = (all: Record<string, string>) => JSON.stringify({ scripts: all });

describe('the command that a build has written down', () => {
  it('is run in its folder, whatever the files say', async () => {
    const folder = await folderOf({
      '.slipway-start.json': JSON.stringify({ folder: 'apps/api', line: './server', from: 'a Go server' }),
      'package.json': scripts({ start: 'node a.js' }),
      'apps/api/node_modules/.bin/tool': '',
    });
    const command = await commandFor(folder, atRoot);
    expect(command).toMatchObject({ cwd: join(folder, 'apps/api'), from: 'a Go server' });
    expect(command.start.kind === 'words' && command.start.words(1)).toEqual(['./server']);
    expect(command.toolFolders).toEqual([join(folder, 'apps/api/node_modules/.bin')]);
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
    const command = await commandFor(folder, atRoot);
    expect(command.toolFolders).toEqual([join(folder, '.venv/bin')]);
    expect(command.variables).toMatchObject({ VIRTUAL_ENV: join(folder, '.venv') });
    expect(await readFile(join(folder, '.venv/bin/uvicorn'), 'utf8')).toBe(`#!${folder}/.venv/bin/python\n`);
    expect(await realpath(join(folder, '.venv/bin/python'))).toBe(await realpath(python?.executable ?? ''));
  });
});

describe('choosing the command of an artifact whose build has written down none', () => {
  it('takes the start script before the Procfile', async () => {
    const folder = await folderOf({
      'package.json': scripts({ start: 'node a.js' }),
      Procfile: 'web: other',
    });
    expect(await commandFor(folder, atRoot)).toMatchObject({
      start: { kind: 'words', dropsNames: false },
      cwd: folder,
      toolFolders: [],
    });
  });

  it('leaves to npm what only npm does', async () => {
    const folder = await folderOf({ 'package.json': scripts({ prestart: 'x', start: 'node a.js' }) });
    const { start } = await commandFor(folder, atRoot);
    expect(start).toMatchObject({ kind: 'words', dropsNames: true });
    expect(start.kind === 'words' && start.words(1)).toEqual(['npm', 'run', '--silent', 'start']);
  });

  it('takes the web line of a Procfile', async () => {
    const folder = await folderOf({
      Procfile: 'worker: no\nweb:  ./serve --port $PORT  \n',
      'package.json': '{}',
    });
    const { start } = await commandFor(folder, atRoot);
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
    const { start } = await commandFor(folder, atRoot);
    expect(start.kind === 'words' && start.words(1)).toEqual(['node', 'a.js']);
  });

  it('says what is missing, and what cannot be read', async () => {
    const empty = await folderOf({ 'package.json': scripts({ build: 'x' }) });
    await expect(commandFor(empty, atRoot)).rejects.toThrow(
      /no "start" script in package\.json and no "web:" line/,
    );
    const broken = await folderOf({ 'package.json': '{' });
    await expect(commandFor(broken, atRoot)).rejects.toThrow(/package\.json cannot be read/);
  });
});
