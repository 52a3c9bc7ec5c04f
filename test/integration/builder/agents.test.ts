import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { platformOf } from '../../../lib/contract/images/platforms.ts';
import { gitRepository } from '../../support/files/git-repository.ts';
import { recordedTools } from './recorded-tools.ts';
import { jobFor, messageOf, setUp, unpack } from './set-up.ts';

const json = (config: object) => JSON.stringify(config, undefined, 2);

describe('an agent project that cannot be built', () => {
  it.each([
    [
      'a config that is no JSON',
      '{ "graphs": ',
      {},
      /^langgraph\.json is not valid JSON at line 1 column 13/,
    ],
    [
      'a graph that is not there',
      json({ graphs: { agent: './nope.js:graph' } }),
      {},
      /^langgraph\.json line 3: graph 'agent' names \.\/nope\.js, but there is no file nope\.js/,
    ],
    [
      'a Python version that is not here',
      json({ python_version: '3.99', dependencies: ['.'], graphs: { agent: './a.py:graph' } }),
      { 'a.py': '' },
      /python_version 3\.99: Python 3\.99 is not on this machine; found: .*; uv could not install it: /,
    ],
    [
      'lines for an image',
      json({ dockerfile_lines: ['RUN true'], graphs: { agent: './a.py:graph' } }),
      { 'a.py': '' },
      /dockerfile_lines \(`RUN true`\) change a container image/,
    ],
  ])('fails for %s, its cause the last line of the log', async (_, config, files, reason) => {
    const { run } = await setUp();
    const { url } = await gitRepository({ 'langgraph.json': config, ...files });
    const { state, log } = await run(jobFor(url));
    expect(messageOf(state)).toMatch(reason);
    expect(log.at(-1)).toMatch(reason);
  });

  it.each([
    [
      { graphs: { agent: './agent.js:graph' } },
      /^The runtime 'durable' runs graphs in Python alone so far; /,
    ],
    [{}, /^The runtime 'durable' runs the graphs of langgraph\.json, which names none; /],
  ])(
    'fails before anything is installed for what the durable server cannot run: %j',
    async (config, reason) => {
      const { run } = await setUp();
      const { url } = await gitRepository({ 'langgraph.json': json(config), 'agent.js': '' });
      const { state, log } = await run(jobFor(url, { durable: 'asked' }));
      expect(messageOf(state)).toMatch(reason);
      expect(log.at(-1)).toMatch(reason);
    },
  );

  it.each([
    [
      'command',
      { graphs: { agent: './agent.js:graph' } },
      /'command', and nothing says how to start it.*start_command/,
    ],
    ['dev', {}, /'dev', and the source has no langgraph\.json for it to run; set runtime to/],
  ] as const)(
    'fails before anything is installed where %s has nothing to run',
    async (runtime, config, reason) => {
      const { run } = await setUp();
      const { url } = await gitRepository({ 'langgraph.json': json(config), 'agent.js': '' });
      const { state, log } = await run(jobFor(url, { runtime }));
      expect(messageOf(state)).toMatch(reason);
      expect(log.at(-1)).toMatch(reason);
    },
  );

  it('fails for a graph that the build does not make', async () => {
    const { run } = await setUp();
    const config = json({ graphs: { agent: './dist/agent.js:graph' } });
    const { url } = await gitRepository({ 'langgraph.json': config, 'node_modules/.bin/langgraphjs': '' });
    const { state, log } = await run(jobFor(url, { buildCommand: 'echo built nothing' }));
    expect(messageOf(state)).toMatch(
      /graph 'agent' names \.\/dist\/agent\.js, but there is no file dist\/agent\.js/,
    );
    expect(log).toContain('built nothing');
  });
});

/** A project with a build script that fails, and a lockfile of yarn. */
const yarnAgent = {
  'langgraph.json': json({ graphs: { agent: './agent.js:graph' } }),
  'agent.js': 'export const graph = 1;',
  'package.json': json({ dependencies: { a: '1' }, scripts: { build: 'exit 3' } }),
  'yarn.lock': '# yarn lockfile v1\n',
};

describe('an agent project in JavaScript that brings no agent server', () => {
  it('gets one by npm, in a folder of its own and once for all; its build script is not run', async () => {
    const tools = await recordedTools({
      npx: 'mkdir -p node_modules/a',
      npm: 'mkdir -p node_modules/.bin && echo server >node_modules/.bin/langgraphjs',
    });
    const { run, blobs } = await setUp();
    const { url, commit } = await gitRepository(yarnAgent);
    const job = jobFor(url);
    const { state, log } = await run(job);
    if (state.state !== 'succeeded' || state.artifact.kind !== 'folder') throw new Error(log.join('\n'));
    const files = await unpack(blobs, state.artifact.key);
    expect(files.get('.slipway-agent-server/node_modules/.bin/langgraphjs')).toBe('server\n');
    expect(files.get('package.json')).toBe(yarnAgent['package.json']);
    expect(files.get('yarn.lock')).toBe(yarnAgent['yarn.lock']);
    expect(files.has('node_modules/.bin/langgraphjs')).toBe(false);
    expect(log).toContainEqual(
      expect.stringMatching(/^Nothing to build: the `build` script of package\.json was not run/),
    );
    const first = await tools.calls();
    expect(first).toEqual([
      'npx --yes yarn@1 install --frozen-lockfile',
      expect.stringMatching(/^npm install .*@langchain\/langgraph-cli@\d/),
    ]);

    await commit({ 'package.json': json({ dependencies: { a: '2' } }) });
    const again = await run(jobFor(url, { tenantId: job.tenantId }));
    expect(again.state.state).toBe('succeeded');
    expect((await tools.calls()).slice(first.length)).toEqual([first[0]]);
  });

  it('says that the build script was not run when a graph is missing that it may make', async () => {
    await recordedTools({ npx: 'mkdir -p node_modules/a', npm: 'mkdir -p node_modules/.bin' });
    const { run } = await setUp();
    const { url } = await gitRepository({
      ...yarnAgent,
      'langgraph.json': json({ graphs: { agent: './dist/agent.js:graph' } }),
    });
    expect(messageOf((await run(jobFor(url))).state)).toMatch(
      /no file dist\/agent\.js .*; the `build` script of package\.json runs only when build_command asks for it/,
    );
  });

  it('has its build script run when the client asks for it', async () => {
    await recordedTools({ npx: 'mkdir -p node_modules/a', npm: 'mkdir -p node_modules/.bin' });
    const { run } = await setUp();
    const { url } = await gitRepository(yarnAgent);
    const { state } = await run(jobFor(url, { buildCommand: 'sh -c "exit 3"' }));
    expect(messageOf(state)).toMatch(/exited with code 3/);
  });
});

/**
 * Answers as an interpreter does; the uv that its pip installs makes environments in which nothing is
 * missing.
 */
const fakePython = `
case "$*" in
  -I*) echo 3.12; echo "$0" ;;
  '-m venv '*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
  '-m pip config list') echo "global.index-url='https://pypi.example/simple'" ;;
  '-m pip install '*uv==*) [ ! -f "$(dirname "$NOTED")/offline" ] || { echo 'no such host' >&2; exit 1; }
    cat >"$(dirname "$0")/uv" <<UV
#!/bin/sh
echo "uv \\$*" >>'$NOTED'
echo "index \\$UV_DEFAULT_INDEX" >>'$NOTED'
[ "\\$1" != venv ] || mkdir -p .venv/bin .venv/lib/python3.12/site-packages/langgraph_cli-1.dist-info \\
  .venv/lib/python3.12/site-packages/langgraph_api-1.dist-info
[ "\\$1" != venv ] || touch .venv/pyvenv.cfg
[ "\\$1" != sync ] || ! cd native || cp -r . ../.venv/lib/python3.12/site-packages/
UV
    chmod +x "$(dirname "$0")/uv" ;;
esac`;

const lockedAgent = {
  'langgraph.json': json({ dependencies: ['.'], graphs: { agent: './agent.py:graph' } }),
  'agent.py': 'graph = 1',
  'pyproject.toml': '[project]\nname = "a"\n',
  'uv.lock': 'version = 1\n',
};

describe('an agent project in Python, on a machine without uv', () => {
  it('gets uv from PyPI, once for all tenants, and the versions of the lockfile', async () => {
    const tools = await recordedTools({ python3: fakePython }, { without: 'uv' });
    const { run } = await setUp();
    const { url, commit } = await gitRepository(lockedAgent);
    const { state, log } = await run(jobFor(url));
    expect(state.state).toBe('succeeded');
    expect(log).toContainEqual(
      expect.stringMatching(
        /^uv, which installs Python projects, is not on this machine: using uv \d+\.\d+\.\d+ from PyPI$/,
      ),
    );
    const isInstall = (call: string) => /pip install .*uv==\d/.test(call);
    const calls = await tools.calls();
    expect(calls.filter(isInstall)).toHaveLength(1);
    expect(calls).toContainEqual(expect.stringMatching(/^uv sync .*--locked$/));
    expect(calls.some((call) => /pip install .*-e/.test(call))).toBe(false);
    // It looks for packages where pip of this machine does.
    expect(calls).toContain('index https://pypi.example/simple');

    await commit({ 'uv.lock': 'version = 1\n# changed\n' });
    expect((await run(jobFor(url))).state.state).toBe('succeeded');
    const all = await tools.calls();
    expect(all.filter(isInstall)).toHaveLength(1);
    expect(all.filter((call) => call.startsWith('uv sync'))).toHaveLength(2);
  });

  it.each([
    ['py3-none-any', 'succeeded'],
    ['cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64', 'x64'],
    ['cp312-cp312-manylinux_2_17_aarch64.manylinux2014_aarch64', 'arm64'],
    ['cp312-cp312-musllinux_1_2_aarch64', 'arm64'],
  ])('with a wheel %s, it is built for machines that run it', async (tag, arch) => {
    await recordedTools({ python3: fakePython }, { without: 'uv' });
    const { run } = await setUp();
    const wheel = { 'native/numpy-2.1.dist-info/WHEEL': `Wheel-Version: 1.0\nTag: ${tag}\n` };
    const { url } = await gitRepository({ ...lockedAgent, ...wheel });
    const { state } = await run(jobFor(url));
    if (arch === 'succeeded' || arch === process.arch) {
      const platforms = [platformOf(process)];
      expect(state).toMatchObject({ state: 'succeeded', artifact: { platforms, server: 'langgraph' } });
    } else {
      expect(messageOf(state)).toMatch(
        /^Package numpy 2\.1 was installed for \S+linux\S+( and \S+)*, and this is built for a listener on linux\/a\w+64\. Let/,
      );
    }
  });

  it('fails with the reason when uv cannot be had', async () => {
    const { folder } = await recordedTools({ python3: fakePython }, { without: 'uv' });
    await writeFile(join(folder, 'offline'), '');
    const { run } = await setUp();
    const { url } = await gitRepository(lockedAgent);
    expect(messageOf((await run(jobFor(url))).state)).toMatch(
      /^uv, which .* could not be installed from PyPI; install uv [\d.]+:\nno such host$/,
    );
  });
});
