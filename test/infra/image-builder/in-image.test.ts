import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { type Files, writeFiles } from '../../support/files/write-files.ts';

const scripts = fileURLToPath(new URL('../../../lib/infra/image-builder/', import.meta.url));

/** Notes what it was called with; fails as the file `<tool>-fails` says. */
const recorder = `#!/bin/sh
here="$(dirname -- "$0")"
echo "$(basename -- "$0") $*" >>"$here/../calls"
[ ! -f "$here/../$(basename -- "$0")-$1-fails" ] || { cat "$here/../$(basename -- "$0")-$1-fails" >&2; exit 1; }
`;

/** What runs inside an image build, with its fixed folders moved into one of the test's own. */
async function anImage(files: Files, facts: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  const at = (...names: string[]): string => join(folder, ...names);
  for (const name of ['slipway', 'build', 'bin']) await mkdir(at(name));
  await writeFiles(at('build'), files);
  const move = (text: string): string =>
    text
      .replaceAll('/slipway-build', at('build'))
      .replaceAll('/slipway-project', at('project'))
      .replaceAll('/slipway/', `${at('slipway')}/`)
      .replaceAll('/tmp/npm.log', at('npm.log'));
  for (const name of ['run.sh', 'python_project.py'])
    await writeFile(at('slipway', name), move(await readFile(join(scripts, name), 'utf8')));
  const all = {
    project: '.',
    config: 'langgraph.json',
    language: 'plain',
    'install-command': '',
    'build-command': '',
    ...facts,
  };
  for (const [name, text] of Object.entries(all)) await writeFile(at('slipway', name), text);
  for (const name of ['npm', 'npx']) {
    await writeFile(at('bin', name), recorder);
    await chmod(at('bin', name), 0o755);
  }
  return {
    at,
    run: (step: string): string =>
      execFileSync('sh', [at('slipway/run.sh'), step], {
        env: { PATH: `${at('bin')}:${process.env.PATH ?? ''}`, HOME: folder },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    calls: async () => (await readFile(at('calls'), 'utf8').catch(() => '')).split('\n').filter(Boolean),
  };
}

const packageJson = (fields: object): string => JSON.stringify(fields);
const withDependencies = packageJson({ dependencies: { a: '1' } });

it.each<[string, Files, string[]]>([
  ['a lockfile of npm', { 'package.json': '{}', 'package-lock.json': '{}' }, ['npm ci']],
  ['dependencies alone', { 'package.json': withDependencies }, ['npm install']],
  ['no dependencies', { 'package.json': '{}' }, []],
  ['no package.json', { 'a.txt': '' }, []],
  [
    'pnpm',
    { 'package.json': packageJson({ packageManager: 'pnpm@9.1.0+sha512.x' }), 'pnpm-lock.yaml': '' },
    ['npx --yes pnpm@9.1.0 install --frozen-lockfile'],
  ],
  ['old yarn', { 'package.json': '{}', 'yarn.lock': '' }, ['npx --yes yarn@1 install --frozen-lockfile']],
  [
    'new yarn',
    { 'package.json': '{}', 'yarn.lock': '', '.yarnrc.yml': '' },
    ['npx --yes --package=@yarnpkg/cli-dist@4 yarn install --immutable'],
  ],
  [
    'a version that is no version',
    { 'package.json': packageJson({ packageManager: 'pnpm@1; touch pwned' }), 'pnpm-lock.yaml': '' },
    ['npx --yes pnpm@10 install --frozen-lockfile'],
  ],
])('installs what a project with %s asks for', async (_, files, expected) => {
  const image = await anImage(files);
  image.run('install');
  expect(await image.calls()).toEqual(expected);
});

it('passes over a lockfile that does not fit, and over nothing else that goes wrong', async () => {
  const image = await anImage({ 'package.json': withDependencies, 'package-lock.json': '{}' });
  await writeFile(image.at('npm-ci-fails'), 'npm error code EUSAGE\n');
  expect(image.run('install')).toContain('does not fit package.json');
  expect(await image.calls()).toEqual(['npm ci', 'npm install']);
  await writeFile(image.at('npm-ci-fails'), 'npm error code E404\n');
  expect(() => image.run('install')).toThrow(/E404/);
});

it('runs the commands of the client as they are, in the folder of the config', async () => {
  const command = `echo 'a  b' > "it is.txt" && echo $0`;
  const image = await anImage(
    { 'apps/a b/x.txt': '', 'package.json': '{}' },
    { project: 'apps/a b', 'install-command': command, 'build-command': 'echo built > built.txt' },
  );
  image.run('install');
  image.run('build');
  expect(await readFile(image.at('build/apps/a b/it is.txt'), 'utf8')).toBe('a  b\n');
  expect(await readFile(image.at('build/apps/a b/built.txt'), 'utf8')).toBe('built\n');
  expect(await image.calls()).toEqual([]);
});

it('builds with the build script, and fails as it does', async () => {
  const image = await anImage({ 'package.json': packageJson({ scripts: { build: 'tsc' } }) });
  image.run('build');
  expect(await image.calls()).toEqual(['npm run build']);
  await writeFile(image.at('npm-run-fails'), 'tsc: no\n');
  expect(() => image.run('build')).toThrow(/tsc: no/);
});

it('leaves the build script of an agent alone, and says so', async () => {
  const files = { 'package.json': packageJson({ scripts: { build: 'tsc' } }) };
  const image = await anImage(files, { language: 'javascript' });
  expect(image.run('build')).toMatch(/^The `build` script .* was not run/);
  expect(await image.calls()).toEqual([]);
});

it('gives an agent in JavaScript a server, unless its workspace brings one', async () => {
  const without = await anImage(
    { 'package.json': packageJson({ packageManager: 'yarn@1.22.22' }), 'yarn.lock': '' },
    { language: 'javascript' },
  );
  without.run('install');
  const [own, server] = await without.calls();
  expect(own).toBe('npx --yes yarn@1.22.22 install --frozen-lockfile');
  expect(server).toMatch(/^npm install --no-save --no-package-lock @langchain\/langgraph-cli@\d/);
  expect(await readdir(without.at('build/.slipway-agent-server'))).toEqual(['package.json']);
  const files = { 'node_modules/.bin/langgraphjs': '', 'apps/a/package.json': '{}' };
  const brings = await anImage(files, { language: 'javascript', project: 'apps/a' });
  brings.run('install');
  expect(await brings.calls()).toEqual([]);
});

it('seals without history: a server by one name, a Python environment without its interpreter', async () => {
  const image = await anImage(
    {
      '.git/config': '',
      'a/langgraph.json': '{}',
      'a/.venv/bin/python3.12': { link: '/usr/bin/python3.12' },
      'a/.venv/bin/python': { link: 'python3.12' },
      'a/.venv/bin/tool': 'kept',
    },
    { language: 'python', project: 'a' },
  );
  image.run('seal');
  expect(await readdir(image.at('build'))).toEqual(['a']);
  expect(await readlink(image.at('project'))).toBe(`${image.at('build')}/a`);
  expect(await readdir(image.at('build/a/.venv/bin'))).toEqual(['tool']);
  const sealed = JSON.parse(await readFile(image.at('build/a/.venv/slipway.json'), 'utf8'));
  expect(sealed).toEqual({ python: expect.stringMatching(/^3\.\d+$/), root: image.at('build') });
});
