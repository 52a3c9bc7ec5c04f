import { describe, expect, it } from 'vitest';
import { lookAtProject, type Place, pathsToRead } from '../../../lib/builds/look.ts';

type Files = Record<string, string>;

/** A look at a source with these files: of those that it asks for, it is given the texts. */
function look(files: Files, place: Place = {}) {
  const paths = Object.keys(files);
  const texts = new Map(pathsToRead(paths, place).map((path): [string, string] => [path, files[path] ?? '']));
  return lookAtProject(paths, texts, place);
}

const graphs = (more: object = {}) => JSON.stringify({ graphs: { agent: './src/agent.py:graph' }, ...more });
const FASTAPI = 'from fastapi import FastAPI\n\napp = FastAPI()\n';

describe('a look at a source', () => {
  it('finds an agent, with its graphs and its version of Python', () => {
    const files = {
      'langgraph.json': graphs({ python_version: '3.12' }),
      'src/agent.py': '',
      'pyproject.toml': '',
    };
    expect(look(files)).toMatchObject({
      problem: undefined,
      found: {
        ...{ kind: 'agent', says: 'an agent in Python with 1 graph', file: 'langgraph.json' },
        ...{ language: 'python', version: '3.12', configPath: 'langgraph.json', start: undefined },
        graphs: [{ id: 'agent', path: './src/agent.py' }],
      },
      files: ['langgraph.json', 'pyproject.toml'],
    });
  });

  it('finds an agent in a folder, by a config file of another name', () => {
    const text = JSON.stringify({ graphs: { a: './a.ts:graph', b: './b.ts:graph' }, node_version: '22' });
    const files = { 'agents/two/prod.json': text, 'agents/two/a.ts': '', 'agents/two/b.ts': '' };
    expect(look(files, { rootDirectory: 'agents/', configPath: './two/prod.json' })).toMatchObject({
      found: {
        ...{ says: 'an agent in JavaScript with 2 graphs', file: 'agents/two/prod.json' },
        ...{ language: 'javascript', version: '22', configPath: 'two/prod.json' },
      },
      problem: undefined,
    });
  });

  it.each<[string, Files, object]>([
    [
      'a server in Python',
      { 'main.py': FASTAPI, 'pyproject.toml': '[project]\nname = "a"\nrequires-python = ">=3.11"\n' },
      {
        ...{ kind: 'server', says: 'a FastAPI app', file: 'main.py', language: 'python', version: '>=3.11' },
        start: expect.stringContaining('uvicorn main:app'),
      },
    ],
    [
      'a server in JavaScript',
      { 'package.json': JSON.stringify({ scripts: { start: 'node a.js' }, engines: { node: '>=22' } }) },
      {
        ...{ kind: 'server', says: 'a Node.js server', file: 'package.json', language: 'javascript' },
        ...{ version: '>=22', start: 'node a.js' },
      },
    ],
    [
      'a server in Go',
      { 'go.mod': 'module example.com/a\n', 'main.go': 'package main\n' },
      { kind: 'server', language: 'other', version: undefined },
    ],
    [
      'a Procfile',
      { Procfile: 'web: ./run\n' },
      { kind: 'server', file: 'Procfile', start: './run', language: 'other' },
    ],
    ['a Dockerfile alone', { Dockerfile: 'FROM scratch\n' }, { kind: 'dockerfile', file: 'Dockerfile' }],
  ])('finds %s', (_, files, found) => {
    expect(look(files)).toMatchObject({ found, problem: undefined });
  });

  it.each<[string, Files, Place, RegExp]>([
    ['there is nothing to start', { 'README.md': '' }, {}, /^There is nothing to start\./],
    ['a folder is not there', { 'README.md': '' }, { rootDirectory: 'api' }, /no folder 'api'/],
    [
      'a config file is not there',
      { 'main.py': FASTAPI },
      { configPath: 'prod.json' },
      /no file 'prod\.json'/,
    ],
    [
      'the config file is of another kind',
      { 'agent.yaml': 'graphs:' },
      { configPath: 'agent.yaml' },
      /'agent\.yaml' is of another kind: .* leave graph_config_path out/,
    ],
    [
      'the config file is large',
      { 'langgraph.json': `{"graphs": {}, "a": "${'x'.repeat(600_000)}"}` },
      {},
      /langgraph\.json is too large/,
    ],
    ['a graph has no file', { 'langgraph.json': graphs() }, {}, /graph 'agent' names .\/src\/agent\.py, but/],
    [
      'the config file is no JSON',
      { 'langgraph.json': '{' },
      {},
      /langgraph\.json is not valid JSON at line 1/,
    ],
    ['it names no graph', { 'langgraph.json': '{"graphs": {}}' }, {}, /graphs is empty/],
    ['a package.json is no JSON', { 'package.json': '{' }, {}, /package\.json is not valid JSON/],
    [
      'a graph leads out of the source',
      { 'langgraph.json': JSON.stringify({ graphs: { a: '../../a.py:graph' } }) },
      {},
      /leads out of the source/,
    ],
  ])('says why a build would fail: %s', (_, files, place, problem) => {
    expect(look(files, place).problem).toMatch(problem);
  });

  it('lets a script of the project make what a graph names', () => {
    const files = { 'langgraph.json': graphs(), 'package.json': '{"scripts": {"build": "make"}}' };
    expect(look(files)).toMatchObject({ found: { kind: 'agent' }, problem: undefined });
  });

  it('names the other folders that hold something to deploy', () => {
    const files = {
      'README.md': '',
      'services/api/pyproject.toml': '',
      'services/web/package.json': '{}',
      'services/web/Procfile': '',
      'node_modules/a/package.json': '{}',
      'tests/app/package.json': '{}',
    };
    expect(look(files).folders).toEqual(['services/api', 'services/web']);
    expect(look(files, { rootDirectory: 'services/web' }).folders).toEqual(['services/api']);
  });

  it('names the variables that the project asks for, never their values', () => {
    const files = {
      '.env.example':
        '# keys\nOPENAI_API_KEY=sk-do-not-show\nexport LOG_LEVEL="info"\n# UNUSED=1\nMODEL=\nPOSTGRES_URI=ours\n',
      'langgraph.json': graphs({ env: { TAVILY_API_KEY: '', MODEL: '$MODEL', REGION: 'eu' } }),
      'src/agent.py': '',
    };
    const { variables, ...rest } = look(files);
    expect(variables).toEqual([
      { name: 'LOG_LEVEL', from: '.env.example' },
      { name: 'MODEL', from: '.env.example' },
      { name: 'OPENAI_API_KEY', from: '.env.example' },
      { name: 'TAVILY_API_KEY', from: 'langgraph.json' },
    ]);
    expect(JSON.stringify([variables, rest])).not.toContain('do-not-show');
  });

  it('reads no more than says what a project is', () => {
    const files = { 'main.py': '', 'assets/logo.svg': '', 'a/b/c/d/main.py': '', '.github/main.py': '' };
    expect(pathsToRead(Object.keys(files), {})).toEqual(['main.py']);
    const many = Array.from({ length: 1_000 }, (_, at) => `file-${at}.py`);
    expect(pathsToRead(['langgraph.json', ...many], {})).toHaveLength(200);
  });
});
