import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { gitRepository } from '../support/files/git-repository.ts';
import { agentFiles, installMilliseconds, logOf, shouted } from '../support/programs/agents.ts';
import {
  create,
  deployed,
  ended,
  type Program,
  patch,
  type ShownDeployment,
} from '../support/programs/program.ts';
import type { Uv } from '../support/programs/uv.ts';

const BUILD_MS = 300_000;

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

/** The Python example as a project with a lockfile, in a repository. */
async function lockedRepository(uv: Uv) {
  const { 'requirements.txt': _, ...files } = await agentFiles('shout-agent-python');
  const repository = await gitRepository({ ...files, 'pyproject.toml': PYPROJECT });
  execFileSync(uv.program, ['lock', '--quiet', '--no-python-downloads'], { cwd: repository.folder });
  await repository.commit({ 'uv.lock': await readFile(join(repository.folder, 'uv.lock'), 'utf8') });
  return repository;
}

const textOfBuild = async (program: Program, deployment: ShownDeployment) =>
  (await logOf(program, deployment, 'build')).map(({ message }) => message).join('\n');

/**
 * uv installs what the lockfile says, a dev server is added, and the next build finds all of it in the cache.
 */
export async function expectLockedInstall(program: Program, uv: Uv): Promise<void> {
  const repository = await lockedRepository(uv);
  const made = await create(program, 'locked', repository.url);
  await ended(program, made.id, made.latest_revision_id, BUILD_MS);
  expect(await shouted(await deployed(program, made), 'hello')).toBe('v1: HELLO!');
  const log = await textOfBuild(program, made);
  expect(log).toMatch(/installing with uv/);
  expect(log).toMatch(/uv sync .* --locked/);
  expect(log).toMatch(/does not bring langgraph-cli\[inmem\], .*: adding langgraph-cli\[inmem\]==/);

  const next = await agentFiles('shout-agent-python', 'v2');
  await repository.commit({ 'agent.py': next['agent.py'] ?? '' });
  const changed = await patch(program, made.id, { source_revision_config: { repo_ref: 'main' } });
  expect(await shouted(await deployed(program, changed), 'hello')).toBe('v2: HELLO!');
  const times = [await installMilliseconds(program, made), await installMilliseconds(program, changed)];
  process.stdout.write(`uv.lock: install_ms=${times.join(' then ')}\n`);
  expect(await textOfBuild(program, changed)).toContain('Cache hit');
}

export async function expectUnfitLockfile(program: Program, uv: Uv): Promise<void> {
  const repository = await lockedRepository(uv);
  const more = PYPROJECT.replace('"langgraph==1.2.22"', '"langgraph==1.2.22", "orjson"');
  await repository.commit({ 'pyproject.toml': more });
  const made = await create(program, 'unfit', repository.url);
  await ended(program, made.id, made.latest_revision_id, BUILD_MS);
  expect(await shouted(await deployed(program, made), 'hello')).toBe('v1: HELLO!');
  expect(await textOfBuild(program, made)).toContain(
    'uv.lock does not fit pyproject.toml, so uv chooses the versions anew',
  );
}
