import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesOfGraphs, readAgentProject } from '../../../lib/builds/agent-project.ts';
import { requireFiles } from '../../../lib/builds/plan-project.ts';
import { readDependencies } from '../../../lib/builds/python-dependencies.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';

async function projectOf(config: unknown, files: Record<string, string> = {}, configPath = 'langgraph.json') {
  const root = await temporaryFolder();
  const text = typeof config === 'string' ? config : JSON.stringify(config, undefined, 2);
  for (const [name, content] of Object.entries({ ...files, [configPath]: text })) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
  return readAgentProject(root, dirname(join(root, configPath)), configPath, { mayQuote: true });
}

async function agentOf(...given: Parameters<typeof projectOf>) {
  const project = await projectOf(...given);
  if (project === undefined) throw new Error('this is no agent project');
  return project;
}

const requireGraphFiles = async (...given: Parameters<typeof projectOf>) => {
  const project = await agentOf(...given);
  await requireFiles(project.root, filesOfGraphs(project));
};

const graphs = { agent: './agent.py:graph' };

describe('reading langgraph.json', () => {
  it.each([
    ['Python by its files', { graphs, dependencies: ['.'] }, 'python'],
    ['Python by a module', { graphs: { a: 'my_agent.graph:graph' } }, 'python'],
    ['JavaScript', { graphs: { a: './src/a.mts:graph' } }, 'javascript'],
    [
      'a graph with a description',
      { graphs: { a: { path: './a.js:graph', description: 'x' } } },
      'javascript',
    ],
  ])('knows %s', async (_, config, language) => {
    expect((await projectOf(config))?.language).toBe(language);
  });

  it.each([
    ['a file without graphs', {}, 'langgraph.json'],
    ['another kind of file', 'FROM node', 'Dockerfile'],
  ])('leaves %s to the ordinary build', async (_, config, path) => {
    expect(await projectOf(config, {}, path)).toBeUndefined();
  });

  it.each([
    [
      'no JSON',
      '{\n  "graphs": {\n    "a": "./a.py:g",\n  }\n}',
      /^langgraph\.json is not valid JSON at line 4 column 3: `}`$/,
    ],
    [
      'no export',
      { graphs: { a: './a.py' } },
      /^langgraph\.json line 3: graphs\.a must look like '\.\/file\.ts:export'/,
    ],
    [
      'a number as version',
      { graphs, python_version: 3.1 },
      /python_version must be text: write "python_version": "…"/,
    ],
    ['an odd version', { graphs, node_version: 'lts' }, /line \d: node_version must be a version number/],
    ['no graph', { graphs: {} }, /graphs is empty/],
    [
      'two languages',
      { graphs: { ...graphs, b: './b.ts:g' } },
      /line 3: graph 'agent' is Python and 'b' is JavaScript.*deploy them separately/,
    ],
    [
      'lines for an image',
      { graphs, dockerfile_lines: ['RUN apt-get install x'] },
      /line 5: dockerfile_lines \(`RUN apt-get install x`\).*type process/,
    ],
  ])('refuses %s and quotes the place', async (_, config, reason) => {
    await expect(projectOf(config)).rejects.toThrow(reason);
  });
});

describe('the files of graphs', () => {
  it.each([
    [
      'is missing',
      { agent: './src/nope.ts:graph' },
      /line 3: graph 'agent' names \.\/src\/nope\.ts, but there is no file src\/nope\.ts/,
    ],
    ['leads out', { agent: '../../x.ts:graph' }, /names \.\.\/\.\.\/x\.ts, which leads out of the source/],
  ])('one that %s is named', async (_, wrong, reason) => {
    await expect(requireGraphFiles({ graphs: wrong })).rejects.toThrow(reason);
  });

  it('may lie above a nested config, and modules are left to Python', async () => {
    const nested = { graphs: { a: '../../libs/shared/a.py:graph', b: 'package.module:graph' } };
    const made = requireGraphFiles(nested, { 'libs/shared/a.py': '' }, 'apps/agent/langgraph.json');
    await expect(made).resolves.toBeUndefined();
  });
});

describe('dependencies of a Python project', () => {
  it('are sorted into folders and packages', async () => {
    const config = { graphs, dependencies: ['.', '../../libs/shared', '../../libs/files', 'httpx'] };
    const files = {
      'apps/agent/requirements.txt': '',
      'libs/shared/pyproject.toml': '',
      'libs/shared/uv.lock': '',
      'libs/files/x.py': '',
    };
    const project = await agentOf(config, files, 'apps/agent/langgraph.json');
    const { local, packages } = await readDependencies(project);
    expect(local.map(({ kind, locked }) => [kind, locked])).toEqual([
      ['requirements', false],
      ['package', true],
      ['files', false],
    ]);
    expect(packages).toEqual(['httpx']);
  });

  it.each([
    [['./none'], /dependency '\.\/none' is not a folder of the source/],
    [['../..'], /dependency '\.\.\/\.\.' leads out of the source/],
    [
      ['--index-url=https://elsewhere'],
      /'--index-url=https:\/\/elsewhere' is neither a folder nor a package/,
    ],
    [[], /lists no dependencies/],
  ])('%j are refused', async (dependencies, reason) => {
    await expect(readDependencies(await agentOf({ graphs, dependencies }))).rejects.toThrow(reason);
  });
});
