import { mkdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { agentCommand } from '../../../../lib/compute/process/langgraph.ts';
import { agentLines } from '../../../../lib/compute/process/langgraph-log.ts';
import {
  openPythonEnvironment,
  sealPythonEnvironment,
} from '../../../../lib/processes/python/environment.ts';
import type { Python } from '../../../../lib/processes/python/interpreters.ts';
import { temporaryFolder } from '../../../support/files/temporary-folder.ts';

async function artifactOf(config: unknown, files: Record<string, string> = {}, path = 'langgraph.json') {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries({ [path]: JSON.stringify(config), ...files })) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const state = join(folder, 'state');
  const command = async (environment: Record<string, string> = {}, address: string | null = null) => {
    const made = await agentCommand(
      {
        deployment_name: 'shouter',
        custom_url: address,
        graph_config_path: path,
        environment: Object.entries(environment).map(([name, value]) => ({ name, value })),
      },
      { artifactFolder: folder, stateFolder: state, agentsUrl: 'http://localhost:4401/d' },
    );
    return made && { ...made, words: made.start.kind === 'words' ? made.start.words(8123) : [] };
  };
  return { folder, state, command };
}

const javaScript = { graphs: { agent: './agent.js:graph' } };
const tool = { 'node_modules/.bin/langgraphjs': '' };

describe('the command of a JavaScript agent', () => {
  it("is the project's own dev server, in the config's folder, its state in a lasting folder", async () => {
    const path = 'apps/agent/langgraph.json';
    const { folder, state, command } = await artifactOf(javaScript, tool, path);
    const made = await command();
    const binary = join(folder, 'node_modules/.bin/langgraphjs');
    expect(made).toMatchObject({
      cwd: join(folder, 'apps/agent'),
      words: [
        ...[binary, 'dev', '--no-browser', '--host', '127.0.0.1'],
        ...['--port', '8123', '--config', 'langgraph.json'],
      ],
      start: { dropsNames: false },
      fixedVariables: {
        NODE_OPTIONS: expect.stringMatching(/^--import=file:\S+agent-imports\.ts\?mark=\S+$/),
      },
      savesOnStop: true,
      variables: { LANGSMITH_TRACING: 'false', LANGGRAPH_NO_VERSION_CHECK: 'true', LOG_JSON: 'true' },
    });
    expect(await readlink(join(folder, 'apps/agent/.langgraph_api'))).toBe(state);
  });

  it('leaves variables alone that project or deployment set', async () => {
    const { command } = await artifactOf(
      { ...javaScript, env: '.env' },
      { ...tool, '.env': 'LANGSMITH_TRACING=true' },
    );
    const made = await command({ LANGGRAPH_NO_VERSION_CHECK: 'false' });
    expect(Object.keys(made?.variables ?? {}).sort()).toEqual([
      'CHOKIDAR_INTERVAL',
      'CHOKIDAR_USEPOLLING',
      'LANGGRAPH_CLI_NO_ANALYTICS',
      'LOG_JSON',
    ]);
  });

  it('keeps options of Node behind its own, those of the deployment before those of the project', async () => {
    const options = { NODE_OPTIONS: '--max-old-space-size=1000' };
    const { command } = await artifactOf({ ...javaScript, env: options }, tool);
    const optionsOf = async (given: Record<string, string>) =>
      (await command(given))?.fixedVariables?.NODE_OPTIONS?.split(' ').slice(1);
    expect(await optionsOf({})).toEqual(['--max-old-space-size=1000']);
    expect(await optionsOf({ NODE_OPTIONS: '--no-warnings' })).toEqual(['--no-warnings']);
  });

  it.each([
    [{ path: './auth.js:auth' }, true],
    [{ path: './auth.js:auth', disable_studio_auth: null }, true],
    [{ path: './auth.js:auth', disable_studio_auth: false }, undefined],
  ])(
    'asks everybody for what the agent’s own auth wants, unless the project opens it: %j',
    async (auth, closed) => {
      const { folder, command } = await artifactOf({ ...javaScript, auth }, tool);
      const name = (await command())?.words.at(-1) ?? '';
      expect(name === 'langgraph.json').toBe(closed === undefined);
      expect(JSON.parse(await readFile(join(folder, name), 'utf8'))).toEqual({
        ...javaScript,
        auth: { ...auth, ...(closed && { disable_studio_auth: closed }) },
      });
    },
  );

  it('reads a config that begins with a byte order mark, in a file without', async () => {
    const { folder, command } = await artifactOf(undefined, {
      ...tool,
      'langgraph.json': `\ufeff${JSON.stringify(javaScript)}`,
    });
    const name = (await command())?.words.at(-1) ?? '';
    expect(name).not.toBe('langgraph.json');
    expect(JSON.parse(await readFile(join(folder, name), 'utf8'))).toEqual(javaScript);
  });

  it('says when a shell may drop variables: where its tool is a script of one', async () => {
    const { command } = await artifactOf(javaScript, {
      'node_modules/.bin/langgraphjs': '#!/bin/sh\nexec node',
    });
    expect((await command())?.start.dropsNames).toBe(true);
  });

  it('says when the build left no dev server; a config without graphs is no agent', async () => {
    await expect((await artifactOf(javaScript)).command()).rejects.toThrow(/no langgraphjs in node_modules/);
    expect(await (await artifactOf({})).command()).toBeUndefined();
  });
});

/** What a tool leaves behind in an environment, without one. */
async function environmentIn(folder: string, python: Python): Promise<string> {
  const venv = join(folder, '.venv');
  const packages = join(venv, 'lib', `python${python.version}`, 'site-packages');
  await mkdir(packages, { recursive: true });
  await mkdir(join(venv, 'bin'));
  await writeFile(join(venv, 'pyvenv.cfg'), 'home = /elsewhere/bin\n');
  await writeFile(join(venv, 'bin', 'tool'), '#!/build/place/.venv/bin/python\n', { mode: 0o755 });
  await writeFile(join(packages, 'a.pth'), '/build/place/src\n');
  await sealPythonEnvironment(venv, '/build/place', python);
  return venv;
}

/** A program that answers as an interpreter of this version does. */
async function interpreter(version: string): Promise<Python & { folder: string }> {
  const folder = await temporaryFolder();
  const executable = join(folder, `python${version}`);
  await writeFile(executable, `#!/bin/sh\necho ${version}\necho ${executable}\n`, { mode: 0o755 });
  return { version, executable, folder };
}

describe('a Python environment that was moved', () => {
  it('is mended: paths and interpreter are those of where it lies now', async () => {
    const folder = await temporaryFolder();
    const python = await interpreter('3.98');
    const venv = await environmentIn(folder, python);
    await openPythonEnvironment(venv, folder, python.folder);
    expect(await readFile(join(venv, 'bin/tool'), 'utf8')).toBe(`#!${venv}/bin/python\n`);
    const additions = join(venv, 'lib/python3.98/site-packages/a.pth');
    expect(await readFile(additions, 'utf8')).toBe(`${folder}/src\n`);
    expect(await readFile(join(venv, 'pyvenv.cfg'), 'utf8')).toBe(`home = ${python.folder}\n`);
    expect(await readlink(join(venv, 'bin/python3.98'))).toBe(python.executable);
  });

  it('lets a secret win over env of the config, and writes no value of it', async () => {
    const auth = { path: './a.py:auth', disable_studio_auth: false };
    const config = {
      graphs: { agent: './a.py:graph' },
      env: { A: 'file', B: 'file' },
      store: { x: 1 },
      auth,
    };
    const { folder, command } = await artifactOf(config);
    const python = await interpreter('3.98');
    await environmentIn(folder, python);
    vi.stubEnv('PATH', python.folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect((await command())?.words.join(' ')).toMatch(
      /langgraph-server\.py \S+ \S+ dev --no-reload .*--config langgraph\.json$/,
    );
    const made = await command({ A: 'secret' });
    expect(made?.words.join(' ')).toMatch(/--config \.slipway\.langgraph\.json$/);
    expect(made?.words.join(' ')).not.toContain('secret');
    expect(made?.variables).toMatchObject({ B: 'file' });
    expect(made?.variables).not.toHaveProperty('A');
    const { env: _env, ...rest } = config;
    expect(JSON.parse(await readFile(join(folder, '.slipway.langgraph.json'), 'utf8'))).toEqual(rest);
  });

  it('gets the variables of a dotenv file that begins with a byte order mark', async () => {
    const config = { graphs: { agent: './a.py:graph' }, env: '.env' };
    const { folder, command } = await artifactOf(config, { '.env': '\ufeffA=1\nB=2\n' });
    const python = await interpreter('3.98');
    await environmentIn(folder, python);
    vi.stubEnv('PATH', python.folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const made = await command();
    expect(made?.variables).toMatchObject({ A: '1', B: '2' });
    const { env: _env, ...rest } = config;
    expect(JSON.parse(await readFile(join(folder, made?.words.at(-1) ?? ''), 'utf8'))).toEqual(rest);
  });

  it('is told where the agent is reached, and behind which prefix', async () => {
    const { folder, command } = await artifactOf({
      graphs: { agent: './a.py:graph' },
      http: { mount_prefix: '/api' },
    });
    const python = await interpreter('3.98');
    await environmentIn(folder, python);
    vi.stubEnv('PATH', python.folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const made = await command();
    expect(made?.words[3]).toBe('http://localhost:4401/d/shouter');
    expect(made?.developmentRoutes?.mountPrefix).toBe('/api');
    const prefixed = await command({ MOUNT_PREFIX: '/v1' });
    expect(prefixed?.developmentRoutes?.mountPrefix).toBe('/v1');
    expect((await command({}, 'https://agent.example/x/'))?.words[3]).toBe('https://agent.example/x');
    expect((await command({}, 'agent.example'))?.words[3]).toBe('https://agent.example');
  });

  it('says which versions are here when its own is not', async () => {
    const venv = await environmentIn(await temporaryFolder(), { version: '3.99', executable: '/none' });
    await expect(openPythonEnvironment(venv, '/x', '/nowhere')).rejects.toThrow(
      /^Python 3\.99 is not on this machine; found: /,
    );
  });
});

describe('a line of an agent server', () => {
  it('is read when it is JSON: level, text, what belongs to it, and a traceback line by line', () => {
    const line = JSON.stringify({
      event: 'run \u001b[31mfailed',
      level: 'error',
      timestamp: '2026-01-01T00:00:00Z',
      run_id: 7,
      exception: 'Traceback:\n  KeyError',
    });
    expect(agentLines(line)).toEqual([
      { level: 'ERROR', message: 'run failed run_id=7' },
      { level: 'ERROR', message: 'Traceback:' },
      { level: 'ERROR', message: '  KeyError' },
    ]);
  });

  it.each([
    ['WARNING:agent: careful', 'WARNING'],
    ['plain text', 'INFO'],
    ['{"level":"warn","msg":"its own JSON"}', 'WARNING'],
    ['{ no JSON', 'INFO'],
  ] as const)('%j stays as it is', (line, level) => {
    expect(agentLines(line)).toEqual([{ level, message: line }]);
  });
});
