import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { BuildState } from '../../../lib/adapters/builds.ts';
import { findPython } from '../../../lib/processes/python/interpreters.ts';
import { gitRepository } from '../../support/files/git-repository.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { recordedTools } from './recorded-tools.ts';
import { jobFor, messageOf, setUp, unpack } from './set-up.ts';

/** A uv that makes an environment, and installs by making a folder for each package that it is named. */
const UV = `packages=.venv/lib/python3.12/site-packages
case "$1" in
  venv) mkdir -p .venv/bin "$packages"; echo 'version_info = 3.12.1' >.venv/pyvenv.cfg ;;
  pip) for word; do mkdir -p "$packages/$(basename "$word" .txt | sed 's/==/-/').dist-info"; done ;;
  tool) echo locked ;;
esac`;
const PYTHON = 'echo 3.12\necho "$0"';
const execute = promisify(execFile);

const fastapi = { 'main.py': 'from fastapi import FastAPI\napp = FastAPI()\n' };

type Set = Awaited<ReturnType<typeof setUp>>;

async function filesOf({ blobs }: Set, state: BuildState): Promise<Map<string, string>> {
  if (state.state !== 'succeeded' || state.artifact.kind !== 'folder') throw new Error(JSON.stringify(state));
  return unpack(blobs, state.artifact.key);
}

const startIn = (files: Map<string, string>): unknown =>
  JSON.parse(files.get('.slipway-start.json') ?? 'null');

describe('a source that cannot be started', () => {
  it('is refused before anything of it is installed', async () => {
    const tools = await recordedTools({ npm: '' });
    const { run } = await setUp();
    const { url } = await gitRepository({
      'package.json': '{"dependencies":{"a":"1"}}',
      Dockerfile: 'FROM x',
    });
    const { state, log } = await run(jobFor(url));
    expect(messageOf(state)).toMatch(
      /^There is nothing to start\. Found a Dockerfile: this listener builds no/,
    );
    expect(log.at(-1)).toBe(messageOf(state));
    expect(await tools.calls()).toEqual([]);
  });

  it('is refused after its commands where only they could have made something', async () => {
    const { run } = await setUp();
    const { url } = await gitRepository({ 'a.txt': '' });
    const { state, log } = await run(jobFor(url, { buildCommand: 'echo built' }));
    expect(log).toContain('built');
    expect(messageOf(state)).toMatch(/^There is nothing to start\. Found a\.txt: set start_command/);
    const buildCommand = `echo 'app = FastAPI()' >main.py`;
    expect(messageOf((await run(jobFor(url, { buildCommand }))).state)).toMatch(
      /^The commands have made a FastAPI app \(main\.py\), which they did not install/,
    );
  });
});

it('a source that only a start_command starts is stored without a line of its own', async () => {
  const set = await setUp();
  const { url } = await gitRepository({ 'a.txt': '' });
  const { state } = await set.run(jobFor(url, { startCommand: './serve' }));
  expect(startIn(await filesOf(set, state))).toEqual({ folder: '.', from: 'start_command' });
});

it('a version of Node.js that is not the one of the machine is said in the log', async () => {
  const { run } = await setUp();
  const { url } = await gitRepository({ Procfile: 'web: node .', '.nvmrc': '16' });
  const { log } = await run(jobFor(url));
  const [major] = process.versions.node.split('.');
  expect(log).toContain(
    `.nvmrc asks for Node.js 16, which is not to be had here; it is built and started with Node.js ${major}`,
  );
});

describe('a server in Python', () => {
  it('is told in the first lines of the log, installed by uv, and gets what serves it', async () => {
    const tools = await recordedTools({ 'python3.12': PYTHON, uv: UV });
    const set = await setUp();
    const { url, commit } = await gitRepository({
      ...fastapi,
      'requirements.txt': 'fastapi',
      '.python-version': '3.12',
    });
    const job = jobFor(url);
    const { state, log } = await set.run(job);
    const files = await filesOf(set, state);
    expect(log.slice(1, 6)).toEqual([
      'This source is a FastAPI app: main.py says so',
      expect.stringMatching(
        /^Install: uv venv --python \S+ \.venv, then uv pip install -r requirements\.txt, then/,
      ),
      'Build: nothing',
      'Start: uvicorn main:app --host $HOST --port $PORT',
      expect.stringMatching(
        /^What changes this: root_directory, install_command, .* deployment, and the `web` line of a Procfile$/,
      ),
    ]);
    const installs = async () => (await tools.calls()).filter((call) => call.startsWith('uv pip'));
    expect(await installs()).toEqual([
      'uv pip install -r requirements.txt',
      expect.stringMatching(/^uv pip install uvicorn==\d/),
    ]);
    expect(startIn(files)).toMatchObject({
      folder: '.',
      venv: '.venv',
      line: expect.stringMatching(/^uvicorn /),
    });
    expect(JSON.parse(files.get('.venv/slipway.json') ?? '')).toMatchObject({ python: '3.12' });

    await commit({ 'readme.txt': '' });
    expect((await set.run(jobFor(url, { tenantId: job.tenantId }))).log).toContainEqual(
      expect.stringMatching(/^Cache hit: \.venv as installed on /),
    );
    expect(await installs()).toHaveLength(2);
  });

  it('installs what another tool has locked, and keeps a server that the project brings', async () => {
    const tools = await recordedTools({ 'python3.12': PYTHON, uv: UV });
    const set = await setUp();
    const { url } = await gitRepository({
      ...fastapi,
      'pyproject.toml': '[tool.poetry.dependencies]\npython = "~3.12"\n',
      'poetry.lock': '',
    });
    const installCommand = 'uv pip install uvicorn==0.1';
    expect((await set.run(jobFor(url))).state.state).toBe('succeeded');
    const calls = (await tools.calls()).filter((call) => call.startsWith('uv '));
    expect(calls).toContainEqual(
      expect.stringMatching(/^uv tool run --python \S+ --with poetry-plugin-export/),
    );
    expect(calls).toContain('uv pip install -r .venv/requirements.txt');

    await set.run(jobFor(url, { installCommand }));
    const own = (await tools.calls()).filter((call) => call.startsWith('uv ')).slice(calls.length);
    expect(own).toEqual([expect.stringMatching(/^uv venv --seed /), installCommand]);
  });

  it('takes an environment that an install command has made for its own', async () => {
    const set = await setUp();
    const { url } = await gitRepository({ Procfile: 'web: .venv/bin/serve' });
    const installCommand = 'python3 -m venv .venv';
    const files = await filesOf(set, (await set.run(jobFor(url, { installCommand }))).state);
    const { stdout: version } = await execute('python3', [
      '-c',
      "import sys; print('%d.%d' % sys.version_info[:2])",
    ]);
    expect(startIn(files)).toMatchObject({ line: '.venv/bin/serve', venv: '.venv' });
    expect(JSON.parse(files.get('.venv/slipway.json') ?? '')).toMatchObject({ python: version.trim() });
  });
});

describe('a Python that is not on this machine', () => {
  const asking = { ...fastapi, '.python-version': '3.97' };

  /** Where uv keeps interpreters, and the mirror that it gets them from. */
  async function places() {
    const folder = await temporaryFolder();
    const [installed, mirror] = [join(folder, 'installed'), `file://${join(folder, 'mirror')}`];
    vi.stubEnv('UV_PYTHON_INSTALL_DIR', installed);
    vi.stubEnv('UV_PYTHON_INSTALL_MIRROR', mirror);
    onTestFinished(() => void vi.unstubAllEnvs());
    return { installed, mirror };
  }

  it('is installed by uv from its mirror, where the listener looks too', async () => {
    const { installed, mirror } = await places();
    const install = `if [ "$1 $2" = 'python install' ]; then
      echo "mirror $UV_PYTHON_INSTALL_MIRROR" >>"$NOTED"
      bin="$UV_PYTHON_INSTALL_DIR/cpython-3.97/bin" && mkdir -p "$bin"
      printf '#!/bin/sh\\necho 3.97\\necho "$0"\\n' >"$bin/python3.97" && chmod +x "$bin/python3.97"
    fi`;
    const tools = await recordedTools({ uv: `${install}\n${UV}` });
    const { run } = await setUp();
    const { url } = await gitRepository(asking);
    const { state, log } = await run(jobFor(url));
    expect([state.state, log.at(-1)]).toEqual(['succeeded', expect.stringMatching(/^timing: /)]);
    expect(log).toContain('Python 3.97 is not on this machine: uv installs it');
    const calls = await tools.calls();
    expect(calls.slice(0, 2)).toEqual(['uv python install --no-progress --no-bin 3.97', `mirror ${mirror}`]);
    expect(calls).toContainEqual(`uv venv --python ${installed}/cpython-3.97/bin/python3.97 .venv`);
    expect(await findPython('3.97', '/nowhere')).toEqual({
      version: '3.97',
      executable: `${installed}/cpython-3.97/bin/python3.97`,
    });
  });

  it('is the reason of the failure where uv cannot install it', async () => {
    const { installed } = await places();
    await recordedTools({ uv: 'echo "warning: x\nerror: No download found for 3.97" >&2; exit 2' });
    const { run } = await setUp();
    const { url } = await gitRepository(asking);
    expect(messageOf((await run(jobFor(url))).state)).toMatch(
      /^\.python-version asks for Python 3\.97: Python 3\.97 is not on this machine; found: .*; uv could not install it: error: No download found for 3\.97$/,
    );
    expect(await readdir(installed).catch(() => [])).toEqual([]);
  });
});

it('says nothing of the machine in what it writes down', async () => {
  const set = await setUp();
  const { url } = await gitRepository({ 'go/Procfile': 'web: ./a', 'go/x.json': '{}' });
  const files = await filesOf(set, (await set.run(jobFor(url, { configPath: 'go/x.json' }))).state);
  expect(startIn(files)).toEqual({ folder: 'go', line: './a', from: 'the web line of the Procfile' });
});

it('writes down what runs once before a new version serves, and says so in its first lines', async () => {
  const set = await setUp();
  const { url } = await gitRepository({ Procfile: 'release: ./migrate --all\nweb: ./a' });
  const { state, log } = await set.run(jobFor(url));
  expect(log).toContain('Release: ./migrate --all');
  expect(startIn(await filesOf(set, state))).toMatchObject({ line: './a', release: './migrate --all' });
});
