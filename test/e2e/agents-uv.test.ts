import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest';
import { agentFiles, installMilliseconds, logOf, shouted } from '../support/agents.ts';
import { gitRepository } from '../support/git-repository.ts';
import {
  create,
  deployed,
  ended,
  endProgram,
  type Program,
  patch,
  startProgram,
} from '../support/program.ts';
import { newFolder, removeFolder } from '../support/temporary-folder.ts';

const FLOW_MS = 300_000;
const UV_VERSION = '0.13.9';

let program: Program;
let folder: string;
let uv: string;
beforeAll(async () => {
  folder = await newFolder();
  execFileSync('python3', ['-m', 'venv', join(folder, 'venv')]);
  const bin = join(folder, 'venv/bin');
  execFileSync(join(bin, 'pip'), ['install', '--quiet', '--target', join(folder, 'uv'), `uv==${UV_VERSION}`]);
  uv = join(folder, 'uv/bin/uv');
  const path = [join(folder, 'uv/bin'), process.env.PATH].join(delimiter);
  program = await startProgram({ environment: { PATH: path } });
}, 120_000);
afterAll(async () => {
  expect(await endProgram(program)).toEqual([]);
  await removeFolder(folder);
}, 60_000);

const PYPROJECT = `[project]
name = "shout"
version = "1.0.0"
requires-python = ">=3.11"
dependencies = ["langgraph==1.2.22"]

[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[tool.setuptools]
py-modules = ["agent"]
`;

it(
  'a locked Python project is installed by uv from its lockfile, with a dev server of ours, and kept for the next build',
  async () => {
    onTestFailed(() => void process.stdout.write(program.output().slice(-6_000)));
    const { 'requirements.txt': _, ...files } = await agentFiles('shout-agent-python');
    const repository = await gitRepository({ ...files, 'pyproject.toml': PYPROJECT });
    execFileSync(uv, ['lock', '--quiet', '--no-python-downloads'], { cwd: repository.folder });
    await repository.commit({ 'uv.lock': await readFile(join(repository.folder, 'uv.lock'), 'utf8') });

    const made = await create(program, 'locked', repository.url);
    await ended(program, made.id, made.latest_revision_id, FLOW_MS);
    const first = await deployed(program, made);
    expect(await shouted(first, 'hello')).toBe('v1: HELLO!');
    const log = (await logOf(program, first, 'build')).map(({ message }) => message).join('\n');
    expect(log).toMatch(/installing with uv/);
    expect(log).toMatch(/uv sync .* --locked/);
    expect(log).toMatch(
      /does not bring langgraph-cli\[inmem\], which runs its graphs: adding langgraph-cli\[inmem\]==/,
    );

    const next = await agentFiles('shout-agent-python', 'v2');
    await repository.commit({ 'agent.py': next['agent.py'] ?? '' });
    const changed = await patch(program, first.id, { source_revision_config: { repo_ref: 'main' } });
    const second = await deployed(program, changed);
    expect(await shouted(second, 'hello')).toBe('v2: HELLO!');
    const times = [
      await installMilliseconds(program, made),
      await installMilliseconds(program, changed),
    ] as const;
    process.stdout.write(`uv: install_ms=${times[0]} then ${times[1]}\n`);
    expect((await logOf(program, changed, 'build')).map(({ message }) => message).join('\n')).toContain(
      'Cache hit',
    );
  },
  FLOW_MS,
);

it(
  'a project whose lockfile does not fit is installed anew, and its log says so',
  async () => {
    const { 'requirements.txt': _, ...files } = await agentFiles('shout-agent-python');
    const repository = await gitRepository({ ...files, 'pyproject.toml': PYPROJECT });
    execFileSync(uv, ['lock', '--quiet', '--no-python-downloads'], { cwd: repository.folder });
    const lock = await readFile(join(repository.folder, 'uv.lock'), 'utf8');
    const more = PYPROJECT.replace('"langgraph==1.2.22"', '"langgraph==1.2.22", "orjson"');
    await repository.commit({ 'uv.lock': lock, 'pyproject.toml': more });
    const made = await create(program, 'unfit', repository.url);
    await ended(program, made.id, made.latest_revision_id, FLOW_MS);
    expect(await shouted(await deployed(program, made), 'hello')).toBe('v1: HELLO!');
    expect((await logOf(program, made, 'build')).map(({ message }) => message).join('\n')).toContain(
      'uv.lock does not fit pyproject.toml, so uv chooses the versions anew',
    );
  },
  FLOW_MS,
);
