import { describe, expect, it } from 'vitest';
import { imagePlace } from '../../../lib/builds/codebuild/planned.ts';
import { BuildFailure } from '../../../lib/builds/failure.ts';
import { type BuildHost, findProject, planProject } from '../../../lib/builds/plan-project.ts';
import { isInRange, pythonWish } from '../../../lib/builds/python-server.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { writeFiles } from '../../support/files/write-files.ts';
import { commandedTrees } from '../../support/programs/source-trees/commanded.ts';
import { compiledTrees } from '../../support/programs/source-trees/compiled.ts';
import { javaScriptTrees } from '../../support/programs/source-trees/javascript.ts';
import { knownTrees } from '../../support/programs/source-trees/known.ts';
import { mcpTrees } from '../../support/programs/source-trees/mcp.ts';
import { mixedTrees } from '../../support/programs/source-trees/mixed.ts';
import { pythonTrees } from '../../support/programs/source-trees/python.ts';
import { refusedTrees } from '../../support/programs/source-trees/refused.ts';
import type { SourceTree } from '../../support/programs/source-trees/tree.ts';

/** What is decided of a source, in the words of the log. */
async function decide(tree: SourceTree, host: BuildHost) {
  const folder = await temporaryFolder();
  await writeFiles(folder, tree.files);
  const { installCommand, buildCommand, startCommand, rootDirectory } = tree;
  const commands = { installCommand, buildCommand, startCommand };
  const wanted = { configPath: 'langgraph.json', rootDirectory, ...commands };
  const request = await findProject(folder, wanted, { mayQuote: false });
  const plan = await planProject(request, host);
  const [taken, ...notes] = plan.notes.map(({ text }) =>
    text.replaceAll(plan.venv?.python.executable ?? '\0', 'PYTHON'),
  );
  const line = (name: string) => notes.find((note) => note.startsWith(`${name}: `))?.slice(name.length + 2);
  return { taken, install: line('Install'), build: line('Build'), start: line('Start') };
}

const machineWith = (tools: readonly string[]): BuildHost => ({
  tools: new Set(['npm', 'npx', ...tools]),
  nodeMajor: '24',
  nodeMajors: ['24'],
  python: async ({ version = '3.12' }) => ({ version, executable: `/opt/python${version}/bin/python` }),
});

const sourceTrees = [
  ...commandedTrees,
  ...knownTrees,
  ...javaScriptTrees,
  ...pythonTrees,
  ...mixedTrees,
  ...mcpTrees,
  ...compiledTrees,
  ...refusedTrees,
];

async function expectDecided(tree: SourceTree, expected: SourceTree['expected'], host: BuildHost) {
  const deciding = decide(tree, host);
  if ('refused' in expected) await expect(deciding).rejects.toThrow(new BuildFailure(expected.refused));
  else expect(await deciding).toEqual(expected);
}

describe('a source', () => {
  it.each(sourceTrees)('with $name is known on a machine', async (tree) => {
    await expectDecided(tree, tree.expected, machineWith(tree.tools ?? []));
  });

  it.each(sourceTrees)('with $name is the same in an image build', async (tree) => {
    await expectDecided(tree, tree.inImages ?? tree.expected, imagePlace);
  });
});

describe('the Python that a project asks for', () => {
  const wishOf = (files: Record<string, string>) => pythonWish(new Map(Object.entries(files)));

  it.each([
    ['.python-version', { '.python-version': '3.11.7\n', 'runtime.txt': 'python-3.12.1' }, '3.11'],
    ['runtime.txt', { 'runtime.txt': 'python-3.12.1\n' }, '3.12'],
    ['Pipfile', { Pipfile: '[requires]\npython_version = "3.13"\n' }, '3.13'],
    ['an environment of pyenv', { '.python-version': 'my-project\n' }, undefined],
    ['nothing', {}, undefined],
  ])('is named by %s', (_, files, version) => {
    expect(wishOf(files).version).toBe(version);
  });

  it.each([
    ['>=3.11', ['3.11', '3.12', '3.13', '3.14']],
    ['>=3.11,<3.13', ['3.11', '3.12']],
    ['>=3.10.4, <4', ['3.10', '3.11', '3.12', '3.13', '3.14']],
    ['^3.12', ['3.12', '3.13', '3.14']],
    ['~3.12', ['3.12']],
    ['~=3.12', ['3.12', '3.13', '3.14']],
    ['~=3.12.1', ['3.12']],
    ['==3.12.*', ['3.12']],
    ['3.13', ['3.13']],
    ['>3.11, !=3.13', ['3.12', '3.14']],
    ['<=3.11', ['3.10', '3.11']],
    ['>= 3.10 <3.12 || 3.14.*', ['3.10', '3.11', '3.14']],
    ['*', ['3.10', '3.11', '3.12', '3.13', '3.14']],
  ])('may be any in %s', (range, versions) => {
    const all = ['3.10', '3.11', '3.12', '3.13', '3.14'];
    expect(all.filter((version) => isInRange(version, range))).toEqual(versions);
    const { fits } = wishOf({ 'pyproject.toml': `[project]\nrequires-python = "${range}" # so\n` });
    expect(all.filter(fits)).toEqual(versions);
  });
});
