import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandFor } from '../../../../lib/compute/process/command-for.ts';
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

describe('choosing the command', () => {
  it('takes the start script before the Procfile', async () => {
    const folder = await folderOf({
      'package.json': scripts({ start: 'node a.js' }),
      Procfile: 'web: other',
    });
    expect(commandFor(folder, atRoot)).toMatchObject({
      start: { kind: 'words', dropsNames: false },
      cwd: folder,
      toolFolders: [],
    });
  });

  it('leaves to npm what only npm does', async () => {
    const folder = await folderOf({ 'package.json': scripts({ prestart: 'x', start: 'node a.js' }) });
    const { start } = commandFor(folder, atRoot);
    expect(start).toMatchObject({ kind: 'words', dropsNames: true });
    expect(start.kind === 'words' && start.words(1)).toEqual(['npm', 'run', '--silent', 'start']);
  });

  it('takes the web line of a Procfile', async () => {
    const folder = await folderOf({
      Procfile: 'worker: no\nweb:  ./serve --port $PORT  \n',
      'package.json': '{}',
    });
    const { start } = commandFor(folder, atRoot);
    expect(start.kind === 'words' && start.words(8123)).toEqual(['./serve', '--port', '8123']);
  });

  it('runs in the folder of the configuration, with the tools of it and of those above', async () => {
    const folder = await folderOf({
      'apps/agent/package.json': scripts({ start: 'serve' }),
      'apps/agent/node_modules/.bin/serve': '',
      'node_modules/.bin/tool': '',
    });
    const command = commandFor(folder, { graph_config_path: 'apps/agent/langgraph.json' });
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
      expect(commandFor(folder, { graph_config_path: path }).cwd).toBe(folder);
    },
  );

  it('says what is missing, and what cannot be read', async () => {
    const empty = await folderOf({ 'package.json': scripts({ build: 'x' }) });
    expect(() => commandFor(empty, atRoot)).toThrow(/no "start" script in package\.json and no "web:" line/);
    const broken = await folderOf({ 'package.json': '{' });
    expect(() => commandFor(broken, atRoot)).toThrow(/package\.json cannot be read/);
  });
});
