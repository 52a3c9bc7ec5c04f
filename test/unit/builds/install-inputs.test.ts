import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packagesInputs, venvInputs } from '../../../lib/builds/install-inputs.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { type Files, writeFiles } from '../../support/files/write-files.ts';

/** Names of the files that an installation in `folder` depends on, or why it depends on more. */
async function pythonInputs(command: string, files: Files, folder = '.'): Promise<string[] | string> {
  const root = await temporaryFolder();
  await writeFiles(root, files);
  const part = { kind: 'venv', makes: '.venv', steps: [{ do: 'run', command }] } as const;
  const inputs = await venvInputs({ root, folder: join(root, folder) }, { ...part, steps: [...part.steps] });
  return 'not' in inputs ? inputs.not : [...inputs.texts.keys()];
}

const SYNC = 'uv sync --locked';
const PROJECT = '[project]\nname = "a"\ndependencies = ["flask"]\n';
const LOCKED = 'version = 1\n[[package]]\nname = "a"\nsource = { virtual = "." }\n';

describe('the environment of a Python server depends on', () => {
  it.each<[string, Files]>([
    ['requirements of plain lines', { 'requirements.txt': 'flask' }],
    [
      'requirements with extras, versions, markers, hashes, comments and an index',
      {
        'requirements.txt':
          '# all\n-i https://pypi.example/simple\n--extra-index-url=https://more.example\nuvicorn[standard] >=0.30,<1 ; python_version < "3.13" # why\nflask==3.0 \\\n    --hash=sha256:0a \\\n    --hash=sha256:0b\r\nzope.interface (>=5)\n--pre\n',
      },
    ],
    ['requirements that another file of theirs includes', { 'requirements-dev.txt': '-r requirements.txt' }],
  ])('%s', async (_, files) => {
    const all = { 'requirements.txt': '', ...files };
    expect(await pythonInputs('uv pip install -r requirements.txt', all)).toEqual(Object.keys(all).sort());
  });

  it('a lockfile and the project that it locks', async () => {
    const files = { 'pyproject.toml': PROJECT, 'uv.lock': LOCKED };
    expect(await pythonInputs(SYNC, files)).toEqual(['pyproject.toml', 'uv.lock']);
  });
});

describe('the environment of a Python server depends on more', () => {
  it.each([
    '.',
    '.[extra]',
    './local',
    'wheels/x-1.0-py3-none-any.whl',
    'x-1.0-py3-none-any.whl',
    'x.tar.gz',
    '--find-links wheels',
    '-f wheels',
    '-i ./index',
    '-r base.txt',
    '  -c constraints.txt',
    '-e .',
    'local @ file:///source/local',
    'local @ ./local',
    'folder/local',
    'flask --config-settings=x=y',
  ])('where its requirements have the line %j', async (line) => {
    const files = { 'requirements.txt': `flask\n${line}\n` };
    expect(await pythonInputs('uv pip install -r requirements.txt', files)).toMatch(/names other files$/);
  });

  it.each<[string, Files]>([
    [
      'a source in the workspace',
      { 'pyproject.toml': `${PROJECT}[tool.uv.sources]\nshared = { workspace = true }\n` },
    ],
    ['a workspace', { 'pyproject.toml': `${PROJECT}[tool.uv.workspace]\nmembers = ["packages/*"]\n` }],
    [
      'a path in several lines',
      { 'pyproject.toml': `${PROJECT}[tool.uv.sources.shared]\n"path"\t=\t'../shared'\n` },
    ],
    ['a folder of wheels', { 'uv.toml': 'find-links = ["wheels"]\n' }],
    ['an index in the source', { 'pyproject.toml': `${PROJECT}[[tool.uv.index]]\nurl = "index"\n` }],
    ['a member', { 'uv.lock': `${LOCKED}[[package]]\nname = "b"\nsource = { editable = "packages/b" }\n` }],
    ['a member of files alone', { 'uv.lock': `${LOCKED}source = { virtual = "packages/b" }\n` }],
    ['a folder', { 'uv.lock': `${LOCKED}source = { directory = "../b" }\n` }],
    ['a wheel', { 'uv.lock': `${LOCKED}source = { path = "b.whl" }\n` }],
    ['the project as a package', { 'uv.lock': LOCKED.replace('virtual', 'editable') }],
  ])('where it names %s', async (_, files) => {
    const all = { 'pyproject.toml': PROJECT, 'uv.lock': LOCKED, ...files };
    expect(await pythonInputs(SYNC, all)).toMatch(/names other files$/);
  });

  it('where another tool has locked a part of the source', async () => {
    const files = {
      'pyproject.toml': PROJECT,
      'poetry.lock': '[package.source]\ntype = "directory"\nurl = "../b"\n',
    };
    expect(await pythonInputs('poetry export', files)).toBe('poetry.lock names other files');
  });

  it('where it is a part of a locked workspace', async () => {
    const root = '[tool.uv.workspace]\nmembers = ["a"]\n';
    const files = { 'pyproject.toml': root, 'uv.lock': 'version = 1\n', 'a/pyproject.toml': PROJECT };
    expect(await pythonInputs(SYNC, files, 'a')).toBe('it is a part of the workspace of a folder above');
  });
});

describe('the packages of a package.json', () => {
  it.each<[string, object, string | undefined]>([
    ['of an index', { dependencies: { express: '^5' } }, undefined],
    ['from a repository', { dependencies: { a: 'github:b/c' } }, undefined],
    ['that are patched', { pnpm: { patchedDependencies: { 'a@1': 'patches/a.patch' } } }, 'patches of'],
    [
      'with a client of prisma',
      { dependencies: { '@prisma/client': '6' } },
      "dependency '@prisma/client' reads",
    ],
    ['with prisma', { devDependencies: { prisma: '6' } }, "dependency 'prisma' reads"],
    ['by their path', { dependencies: { a: '../a' } }, "dependency 'a' lies in the source"],
    ['resolved to a file', { resolutions: { a: 'file:./a' } }, "dependency 'a' lies in the source"],
    ['overridden by a folder', { pnpm: { overrides: { a: 'link:../a' } } }, "dependency 'a' lies in"],
  ])('%s', async (_, json, not) => {
    const root = await temporaryFolder();
    await writeFiles(root, { 'package.json': JSON.stringify(json) });
    const inputs = await packagesInputs({ root, folder: root });
    if (not === undefined) expect(inputs).not.toHaveProperty('not');
    else expect(inputs).toHaveProperty('not', expect.stringContaining(not));
  });
});
