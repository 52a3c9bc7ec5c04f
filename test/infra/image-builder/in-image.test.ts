import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, cp, mkdir, readdir, readFile, readlink, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { librariesOf } from '../../../lib/builds/codebuild/finish.ts';
import { imagePlace } from '../../../lib/builds/codebuild/planned.ts';
import { findProject, planProject } from '../../../lib/builds/plan-project.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { type Files, writeFiles } from '../../support/files/write-files.ts';
import { theBuilder } from './set-up.ts';

/** Notes what it was called with; fails as the file `<tool>-<word>-fails` says. */
const recorder = `#!/bin/sh
here="$(dirname -- "$0")"
echo "$(basename -- "$0") $*" >>"$here/../calls"
[ ! -f "$here/../$(basename -- "$0")-$1-fails" ] || { cat "$here/../$(basename -- "$0")-$1-fails" >&2; exit 7; }
`;

type Ran = { code: number; said: string };

/**
 * The inside of an image build, in folders of the test's own: a project with its plan, and tools that only
 * note their calls.
 */
async function anImage(
  files: Files,
  commands: { installCommand?: string; buildCommand?: string; startCommand?: string } = {},
  config = 'langgraph.json',
) {
  const folder = await realpath(await temporaryFolder());
  const at = (...names: string[]): string => join(folder, ...names);
  for (const name of ['slipway', 'build', 'bin']) await mkdir(at(name));
  await writeFiles(at('build'), files);
  const wanted = { configPath: config, ...commands };
  const plan = await planProject(await findProject(at('build'), wanted, { mayQuote: false }), imagePlace);
  await writeFile(at('slipway/plan.json'), JSON.stringify(plan));
  await cp(join((await theBuilder()).folder, 'builder.mjs'), at('slipway/builder.mjs'));
  for (const name of ['npm', 'npx', 'uv']) {
    await writeFile(at('bin', name), recorder);
    await chmod(at('bin', name), 0o755);
  }
  return {
    at,
    run: (step: string): Ran => {
      const args = [at('slipway/builder.mjs'), step, at('build'), at('project')];
      const env = { PATH: `${at('bin')}:${process.env.PATH ?? ''}`, HOME: folder };
      try {
        return { code: 0, said: execFileSync(process.execPath, args, { env, encoding: 'utf8' }) };
      } catch (error) {
        // What execFileSync throws has the code and the output.
        const { status, stdout } = error as { status: number; stdout: string };
        return { code: status, said: stdout };
      }
    },
    calls: async () => (await readFile(at('calls'), 'utf8').catch(() => '')).split('\n').filter(Boolean),
  };
}

const json = (fields: object): string => JSON.stringify(fields);
const withDependencies = json({ dependencies: { a: '1' }, scripts: { start: 'node .' } });
const agent = { 'langgraph.json': json({ graphs: { a: './a.js:graph' } }), 'a.js': '' };

it('installs what the plan says, and nothing where it says so', async () => {
  const image = await anImage({ 'package.json': withDependencies });
  expect(image.run('install').code).toBe(0);
  expect(await image.calls()).toEqual(['npm install']);
  const nothing = await anImage({ Procfile: 'web: true' });
  expect(nothing.run('install')).toEqual({ code: 0, said: 'Nothing to install: there is no package.json\n' });
});

it('passes over a lockfile that does not fit, and over nothing else that goes wrong', async () => {
  const image = await anImage({ 'package.json': withDependencies, 'package-lock.json': '{}' });
  await writeFile(image.at('npm-ci-fails'), 'npm error code EUSAGE\n');
  expect(image.run('install')).toEqual({
    code: 0,
    said: expect.stringContaining('does not fit package.json'),
  });
  expect(await image.calls()).toEqual(['npm ci', 'npm install']);
  await writeFile(image.at('npm-ci-fails'), 'npm error code E404\n');
  // The build is told the code of the command itself.
  expect(image.run('install')).toEqual({ code: 7, said: expect.stringContaining('E404') });
});

it('runs the commands of the client as they are, in the folder of the config', async () => {
  const image = await anImage(
    { 'apps/a b/x.json': '{}', 'package.json': '{}' },
    { installCommand: `echo 'a  b' > "it is.txt" && echo $0`, buildCommand: 'echo built > built.txt' },
    'apps/a b/x.json',
  );
  expect([image.run('install').code, image.run('build').code]).toEqual([0, 0]);
  expect(await readFile(image.at('build/apps/a b/it is.txt'), 'utf8')).toBe('a  b\n');
  expect(await readFile(image.at('build/apps/a b/built.txt'), 'utf8')).toBe('built\n');
  expect(await image.calls()).toEqual([]);
});

it('builds with a build script, also one that the installation has written', async () => {
  const image = await anImage(
    { 'package.json': '{}' },
    { installCommand: `echo '${json({ scripts: { build: 'tsc' } })}' >package.json` },
  );
  image.run('install');
  expect(image.run('build').code).toBe(0);
  expect(await image.calls()).toEqual(['npm run build']);
  await writeFile(image.at('npm-run-fails'), 'tsc: no\n');
  expect(image.run('build')).toEqual({ code: 7, said: expect.stringContaining('tsc: no') });
});

it('leaves the build script of an agent alone, and says so', async () => {
  const image = await anImage({ ...agent, 'package.json': json({ scripts: { build: 'tsc' } }) });
  expect(image.run('build')).toEqual({
    code: 0,
    said: expect.stringMatching(/^Nothing to build: the `build` script .* was not run/),
  });
  expect(await image.calls()).toEqual([]);
});

it('fails for a graph that the build does not make', async () => {
  const image = await anImage({ 'langgraph.json': agent['langgraph.json'] }, { buildCommand: 'true' });
  expect(image.run('build')).toEqual({
    code: 1,
    said: expect.stringContaining("graph 'a' names ./a.js, but there is no file a.js"),
  });
});

it('gives an agent in JavaScript a server, unless its workspace brings one', async () => {
  const without = await anImage({
    ...agent,
    'package.json': json({ packageManager: 'yarn@1.22.22' }),
    'yarn.lock': '',
  });
  without.run('install');
  const [own, server] = await without.calls();
  expect(own).toBe('npx --yes yarn@1.22.22 install --frozen-lockfile');
  expect(server).toMatch(/^npm install --no-save --no-package-lock @langchain\/langgraph-cli@\d/);
  expect(await readdir(without.at('build/.slipway-agent-server'))).toEqual(['package.json']);
  const files = {
    'node_modules/.bin/langgraphjs': '',
    'apps/a/langgraph.json': agent['langgraph.json'],
    'apps/a/a.js': '',
  };
  const brings = await anImage(files, {}, 'apps/a/langgraph.json');
  brings.run('install');
  expect(await brings.calls()).toEqual([]);
});

const pythonAgent = {
  'a/langgraph.json': json({ graphs: { a: './agent.py:graph' }, dependencies: ['.'] }),
  'a/agent.py': '',
};

it('installs a Python agent with uv in an environment of its own, with a server of the version of its tool', async () => {
  const packages = 'a/.venv/lib/python3.12/site-packages';
  const image = await anImage(
    { ...pythonAgent, 'a/requirements.txt': 'x\n', 'a/.venv/old.txt': '' },
    {},
    'a/langgraph.json',
  );
  const uv = `${recorder}echo "$VIRTUAL_ENV $UV_NO_CACHE" >>"$here/../calls"
[ "$1" != venv ] || mkdir -p '${image.at('build', packages)}/langgraph_cli-0.3.1.dist-info'\n`;
  await writeFile(image.at('bin/uv'), uv);
  expect(image.run('install').code).toBe(0);
  const calls = await image.calls();
  expect(calls.filter((line) => line.startsWith('uv '))).toEqual([
    'uv venv --python /usr/local/bin/python3.12 .venv',
    'uv pip install -r requirements.txt',
    'uv pip install langgraph-cli[inmem]==0.3.1',
  ]);
  expect(calls).toContain(`${image.at('build/a/.venv')} 1`);
  expect(await readdir(image.at('build/a/.venv'))).toEqual(['lib']);
});

it('seals without history, a Python environment without its interpreter', async () => {
  const image = await anImage(
    {
      ...pythonAgent,
      '.git/config': '',
      'a/.venv/bin/python3.12': { link: '/usr/bin/python3.12' },
      'a/.venv/bin/python': { link: 'python3.12' },
      'a/.venv/bin/tool': 'kept',
    },
    {},
    'a/langgraph.json',
  );
  expect(image.run('seal').code).toBe(0);
  expect(await readdir(image.at('build'))).toEqual(['a']);
  expect(await readdir(image.at('build/a/.venv/bin'))).toEqual(['tool']);
  const sealed = JSON.parse(await readFile(image.at('build/a/.venv/slipway.json'), 'utf8'));
  expect(sealed).toEqual({ python: '3.12', root: image.at('build') });
});

it('writes down how a server is started, also of what only its commands have made', async () => {
  const found = await anImage({ Procfile: 'web: ./serve' });
  found.run('seal');
  const startOf = async ({ at }: typeof found) =>
    JSON.parse(await readFile(at('build/.slipway-start.json'), 'utf8'));
  const from = 'the web line of the Procfile';
  expect(await startOf(found)).toEqual({ folder: '.', line: './serve', from });
  const made = await anImage(
    { 'a/x.json': '{}' },
    { buildCommand: "echo 'web: ./made' >Procfile" },
    'a/x.json',
  );
  expect([made.run('install').code, made.run('build').code, made.run('seal').code]).toEqual([0, 0, 0]);
  expect(await startOf(made)).toEqual({ folder: 'a', line: './made', from });
  const nothing = await anImage({ 'a.txt': '' }, { buildCommand: 'true' });
  nothing.run('build');
  expect(nothing.run('seal')).toEqual({
    code: 1,
    said: expect.stringMatching(/^There is nothing to start\./),
  });
});

it('seals an environment that a command has made, with the Python that it was made with', async () => {
  const image = await anImage(
    { Procfile: 'web: .venv/bin/serve' },
    { installCommand: 'mkdir -p .venv/bin && echo "version = 3.13.1" >.venv/pyvenv.cfg' },
  );
  expect([image.run('install').code, image.run('seal').code]).toEqual([0, 0]);
  const sealed = JSON.parse(await readFile(image.at('build/.venv/slipway.json'), 'utf8'));
  expect(sealed).toEqual({ python: '3.13', root: image.at('build') });
  const start = JSON.parse(await readFile(image.at('build/.slipway-start.json'), 'utf8'));
  expect(start.venv).toBe('.venv');
});

const pythonServer = {
  'a b/main.py': 'app = FastAPI()',
  'a b/x.json': '{}',
  'a b/.venv/pyvenv.cfg': 'version = 3.12.1',
  'a b/.venv/bin/python3.12': { link: '/usr/local/bin/python3.12' },
  '.git/config': '',
};

it('finishes a server of an image: how it is started, where its project is, and its libraries', async () => {
  const image = await anImage(pythonServer, {}, 'a b/x.json');
  await cp(process.execPath, image.at('build/tool'));
  const { code, said } = image.run('finish');
  expect(code).toBe(0);
  expect((await readdir(image.at('build'))).sort()).toEqual(['a b', 'tool']);
  expect(await readlink(image.at('project/project'))).toBe(image.at('build/a b'));
  // The environment stays as it is: the image has the interpreter that it was made with, and the same path.
  expect(await readlink(image.at('build/a b/.venv/bin/python3.12'))).toBe('/usr/local/bin/python3.12');
  const start = await readFile(image.at('project/start'), 'utf8');
  expect(start).toBe(`#!/bin/sh
cd '${image.at('build/a b')}' || exit 1
export PATH='${image.at('build/a b/.venv/bin')}':'${image.at('build/a b/node_modules/.bin')}':${image.at('build/node_modules/.bin')}:"$PATH"
export VIRTUAL_ENV='${image.at('build/a b/.venv')}'
exec uvicorn main:app --host $HOST --port $PORT
`);
  // Node.js is linked to what every image has.
  expect([await readdir(image.at('project/libraries')), said]).toEqual([
    [],
    expect.not.stringContaining('libraries'),
  ]);
});

it('starts a server of an image as it is written down: the project’s tools first, in the place of the shell', async () => {
  const image = await anImage({ Procfile: 'web: serve "$PORT" $0', 'node_modules/.bin/serve': '' });
  await writeFile(image.at('build/node_modules/.bin/serve'), '#!/bin/sh\necho "$PWD $* $PPID"\n');
  await chmod(image.at('build/node_modules/.bin/serve'), 0o755);
  image.run('finish');
  const env = { PATH: process.env.PATH, PORT: '8000' };
  const started = execFileSync(image.at('project/start'), { env, encoding: 'utf8', cwd: '/' });
  expect(started.trim()).toBe(`${image.at('build')} 8000 ${image.at('project/start')} ${process.pid}`);
});

it('says what is missing where only a start_command starts an image, and there is none', async () => {
  const image = await anImage({ 'a.txt': '' }, { startCommand: './serve' });
  expect(image.run('finish').code).toBe(0);
  const { status, stderr } = spawnSync(image.at('project/start'), { encoding: 'utf8', cwd: '/' });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringContaining('Set source_config.start_command again.'),
  });
});

it('takes along the libraries that a program is linked to', async () => {
  const libraries = await librariesOf(['/usr/bin/git', '/etc/passwd']);
  expect([...libraries.keys()]).toContain('libz.so.1');
  expect([...libraries.keys()].filter((name) => /^lib(c|m|pthread)\.so/.test(name))).toEqual([]);
});

it('finishes nothing that cannot be started', async () => {
  const nothing = await anImage({ 'a.txt': '' }, { buildCommand: 'true' });
  expect(nothing.run('finish')).toEqual({
    code: 1,
    said: expect.stringMatching(/^There is nothing to start\./),
  });
});

it('does not wait for what a command leaves running in the background', async () => {
  const buildCommand = '(sleep 30; echo >ended) & echo $! >left';
  const image = await anImage({ 'package.json': '{}' }, { buildCommand });
  expect(image.run('build').code).toBe(0);
  expect(await readdir(image.at('build'))).toEqual(['left', 'package.json']);
  process.kill(Number(await readFile(image.at('build/left'), 'utf8')), 'SIGKILL');
});
