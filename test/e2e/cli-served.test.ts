import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newFolder, removeFolder } from '../support/files/temporary-folder.ts';
import { writeFiles } from '../support/files/write-files.ts';
import { expectGolden, printedBy } from '../support/programs/golden.ts';
import { helloFiles } from '../support/programs/hello-server.ts';
import { type At, slipway } from '../support/programs/user-cli.ts';
import { programOfFile } from './shared-program.ts';

const program = programOfFile({});

let folder: string;
beforeAll(async () => void (folder = await newFolder()));
afterAll(() => removeFolder(folder));

const at = (more: At = {}): At => ({
  cwd: folder,
  home: folder,
  fetch,
  environment: {
    PATH: process.env.PATH,
    SLIPWAY_URL: program().baseUrl,
    SLIPWAY_API_KEY: program().apiKey,
  },
  ...more,
});
const hidden = (text: string) => text.replaceAll(folder, '<folder>');
const run = (args: string[], more: At = {}) => slipway(at(more), args);

it('shows the way to the console, where the key signs in once', async () => {
  expectGolden('console', await printedBy(at(), ['console']));
  const opened: string[] = [];
  const openBrowser = async (url: string) => void opened.push(url);
  const { stdout } = await run(['console'], { terminal: true, openBrowser });
  expect(opened).toEqual([stdout.trim()]);
  const code = new URL(stdout.trim()).hash.slice('#code='.length);
  const signIn = () =>
    fetch(`${program().baseUrl}/v2/console-sessions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code }),
    });
  expect([(await signIn()).status, (await signIn()).status]).toEqual([201, 403]);
});

it('examines the machine and the installation', async () => {
  expectGolden('doctor', await printedBy(at(), ['doctor']));
  const environment = { ...at().environment, SLIPWAY_API_KEY: 'wrong', PATH: '' };
  expectGolden('doctor-failed', await printedBy(at({ environment }), ['doctor']));
});

it('makes an empty folder a project from a template, and never overwrites', async () => {
  await mkdir(join(folder, 'empty'));
  const cwd = join(folder, 'empty');
  expectGolden('init-empty', hidden(await printedBy(at({ cwd }), ['init'], 'plain')));
  expect((await readdir(cwd)).length).toBe(0);
  expectGolden('init', await printedBy(at({ cwd, answers: ['fastapi'] }), ['init'], 'terminal'));
  expect(await readFile(join(cwd, 'main.py'), 'utf8')).toBe(
    await readFile(new URL('../../examples/fastapi-agent/main.py', import.meta.url), 'utf8'),
  );
  const again = await run(['init', '--template', 'fastapi'], { cwd });
  expect([again.exit, again.stderr]).toEqual([1, expect.stringContaining('is not overwritten')]);
  expect(await run(['init'], { cwd })).toMatchObject({ exit: 0, stdout: '' });
});

it('replaces the single file by what the installation serves, whole, and names the line for npm', async () => {
  const file = join(folder, 'slipway.mjs');
  await writeFile(file, 'old');
  await chmod(file, 0o750);
  const old = { program: file, version: '0.1.0' };
  const told = 'runs Slipway 0.2.0, this program is 0.1.0: slipway upgrade gets the one for it.';
  const ask = () => run(['list'], old);
  expect([(await ask()).stderr.includes(told), (await ask()).stderr.includes(told)]).toEqual([true, false]);
  const { exit, stdout } = await run(['upgrade'], old);
  expect([exit, stdout]).toEqual([0, `${file} is Slipway 0.2.0 now\n`]);
  expect(await readFile(file, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect((await stat(file)).mode & 0o777).toBe(0o750);
  expect((await readdir(folder)).filter((name) => name.startsWith('.slipway'))).toEqual([]);
  expectGolden('upgrade-same', await printedBy(at(old), ['upgrade']));
  const installed = join(folder, 'node_modules/slipway');
  await writeFiles(installed, { 'slipway.mjs': 'old' });
  expectGolden('upgrade-npm', await printedBy(at({ program: join(installed, 'slipway.mjs') }), ['upgrade']));
  expect(await readFile(join(installed, 'slipway.mjs'), 'utf8')).toBe('old');
});

it('deploys what it has made ready', async () => {
  const project = join(folder, 'ready');
  await mkdir(project);
  await writeFiles(project, await helloFiles());
  expectGolden('init-server', hidden(await printedBy(at(), ['init', 'ready'], 'json')));
  expect(await run(['deploy', 'ready'])).toMatchObject({ exit: 0 });
});
