import type { BuildPlan, BuildStep } from '../../../lib/builds/plan.ts';
import type { Wanted } from '../../../lib/builds/plan-project.ts';
import { JAVASCRIPT_SERVER, PYTHON_SERVER_VERSION, UVICORN_VERSION } from '../../../lib/builds/versions.ts';
import type { Files } from '../files/write-files.ts';

/** A project, and how it is built or why not, the same on both runtimes. */
export type BuildCase = {
  name: string;
  source: 'git' | 'tarball';
  files: Files;
  wanted: Wanted;
  expected: Outline | { refused: RegExp };
};

/** A plan in few words. `PYTHON` is the interpreter, which differs by place. */
export type Outline = {
  language: BuildPlan['language'];
  folder: string;
  install: string[];
  build: string;
  requires: string[];
  /** Of a server: the line that starts it. */
  start?: string | undefined;
};

const json = (value: object): string => JSON.stringify(value, undefined, 2);
const rootConfig = { configPath: 'langgraph.json' };
const agent = json({ graphs: { agent: './src/agent.ts:graph' } });
const server = (folder: string): string => {
  const above = folder.split('/').map((_, at, parts) => parts.slice(0, parts.length - at).join('/'));
  const places = folder === '.' ? [''] : [...above.map((one) => `${one}/`), ''];
  const brings = places.map((one) => `${one}node_modules/.bin/langgraphjs`).join(' or ');
  return `unless ${brings}: in .slipway-agent-server: npm install --no-save --no-package-lock ${JAVASCRIPT_SERVER}`;
};
const leavesBuild = 'script build? skip : skip';
const pythonServer = `langgraph-cli[inmem] ${PYTHON_SERVER_VERSION}`;
const makeVenv = 'uv venv --python PYTHON .venv';
const pythonAgent = (more: object = {}): string =>
  json({ dependencies: ['.'], graphs: { agent: './agent.py:graph' }, python_version: '3.12', ...more });
const pyproject = '[project]\nname = "shout"\nversion = "1.0.0"\n';

export const buildCases: BuildCase[] = [
  {
    name: 'a server with a lockfile of npm',
    source: 'git',
    files: {
      'package.json': json({ dependencies: { a: '1' }, scripts: { build: 'tsc', start: 'node .' } }),
      'package-lock.json': '{}',
    },
    wanted: rootConfig,
    expected: {
      language: 'plain',
      folder: '.',
      install: ['npm ci, else npm install'],
      build: 'script build? npm run build : skip',
      requires: [],
      start: 'node .',
    },
  },
  {
    name: 'an agent without a lockfile',
    source: 'git',
    files: {
      'langgraph.json': agent,
      'package.json': json({ dependencies: { a: '1' } }),
      'src/agent.ts': '',
    },
    wanted: rootConfig,
    expected: {
      language: 'javascript',
      folder: '.',
      install: ['npm install', server('.')],
      build: leavesBuild,
      requires: ['src/agent.ts'],
    },
  },
  {
    name: 'an agent nested in a workspace of pnpm',
    source: 'git',
    files: {
      'package.json': json({ packageManager: 'pnpm@9.1.0+sha512.x' }),
      'pnpm-lock.yaml': '',
      'apps/one/langgraph.json': agent,
      'apps/one/package.json': json({ dependencies: { a: '1' }, packageManager: 'pnpm@9.1.0' }),
      'apps/one/src/agent.ts': '',
    },
    wanted: { configPath: 'apps/one/langgraph.json' },
    expected: {
      language: 'javascript',
      folder: 'apps/one',
      install: ['npx --yes pnpm@9.1.0 install --frozen-lockfile', server('apps/one')],
      build: leavesBuild,
      requires: ['apps/one/src/agent.ts'],
    },
  },
  {
    name: 'an agent from a tarball, with commands of its own that make its graph',
    source: 'tarball',
    files: { 'langgraph.json': agent, 'package.json': '{}' },
    wanted: { ...rootConfig, installCommand: 'make deps', buildCommand: 'make "the agent"' },
    expected: {
      language: 'javascript',
      folder: '.',
      install: ['make deps', server('.')],
      build: 'make "the agent"',
      requires: ['src/agent.ts'],
    },
  },
  {
    name: 'a Python agent with requirements',
    source: 'git',
    files: { 'langgraph.json': pythonAgent(), 'agent.py': '', 'requirements.txt': 'langgraph\n' },
    wanted: rootConfig,
    expected: {
      language: 'python',
      folder: '.',
      install: [`${makeVenv} && uv pip install -r requirements.txt && ${pythonServer}`],
      build: leavesBuild,
      requires: ['agent.py'],
    },
  },
  {
    name: 'a Python agent with a lockfile of uv, from a tarball',
    source: 'tarball',
    files: { 'langgraph.json': pythonAgent(), 'agent.py': '', 'pyproject.toml': pyproject, 'uv.lock': '' },
    wanted: rootConfig,
    expected: {
      language: 'python',
      folder: '.',
      install: [
        `${makeVenv} && uv sync --no-dev --inexact --python PYTHON --project . --locked, else uv sync --no-dev --inexact --python PYTHON --project . && ${pythonServer}`,
      ],
      build: leavesBuild,
      requires: ['agent.py'],
    },
  },
  {
    name: 'a Python agent nested in a locked workspace, with a folder and packages beside it',
    source: 'git',
    files: {
      'pyproject.toml': '[tool.uv.workspace]\nmembers = ["apps/*"]\n',
      'uv.lock': '',
      'apps/one/langgraph.json': pythonAgent({ dependencies: ['.', '../../lib s', 'httpx', 'x>=1; y'] }),
      'apps/one/agent.py': '',
      'apps/one/pyproject.toml': pyproject,
      'lib s/requirements.txt': '',
    },
    wanted: { configPath: 'apps/one/langgraph.json' },
    expected: {
      language: 'python',
      folder: 'apps/one',
      install: [
        `${makeVenv} && uv sync --no-dev --inexact --python PYTHON --project . --locked, else uv sync --no-dev --inexact --python PYTHON --project . && uv pip install -r '../../lib s/requirements.txt' httpx 'x>=1; y' && ${pythonServer}`,
      ],
      build: leavesBuild,
      requires: ['apps/one/agent.py'],
    },
  },
  {
    name: 'a FastAPI server with requirements, nested',
    source: 'git',
    files: {
      'apps/api/langgraph.json': '{}',
      'apps/api/main.py': 'from fastapi import FastAPI\napp = FastAPI()\n',
      'apps/api/requirements.txt': 'fastapi\n',
      'apps/api/.python-version': '3.12\n',
    },
    wanted: { configPath: 'apps/api/langgraph.json' },
    expected: {
      language: 'python',
      folder: 'apps/api',
      install: [`${makeVenv} && uv pip install -r requirements.txt && uvicorn==${UVICORN_VERSION}`],
      build: 'skip',
      requires: [],
      start: 'uvicorn main:app --host $HOST --port $PORT',
    },
  },
  {
    name: 'a source with nothing to start, from a tarball',
    source: 'tarball',
    files: { 'README.md': '' },
    wanted: rootConfig,
    expected: {
      refused:
        /^There is nothing to start\. Found README\.md: set start_command to `<command>`\. Looked for /,
    },
  },
  {
    name: 'an agent whose graph is nowhere',
    source: 'git',
    files: { 'langgraph.json': agent },
    wanted: rootConfig,
    expected: {
      refused:
        /^langgraph\.json line 3: graph 'agent' names \.\/src\/agent\.ts, but there is no file src\/agent\.ts/,
    },
  },
  {
    name: 'a config that is no JSON, from a tarball',
    source: 'tarball',
    files: { 'langgraph.json': '{ "graphs": ' },
    wanted: rootConfig,
    expected: { refused: /^langgraph\.json is not valid JSON at line 1 column 13/ },
  },
  {
    name: 'a Python agent with a dependency outside of the source',
    source: 'git',
    files: {
      'langgraph.json': pythonAgent({ dependencies: ['.', './out'] }),
      'agent.py': '',
      out: { link: '/etc' },
    },
    wanted: rootConfig,
    expected: { refused: /^langgraph\.json: dependency '\.\/out' leads out of the source$/ },
  },
];

/** What a plan does, in few words. */
export function outline(plan: BuildPlan): Outline {
  const { language, folder, install, build, requires } = plan;
  const words = (step: BuildStep): string =>
    stepInWords(step).replaceAll(plan.venv?.python.executable ?? '\0', 'PYTHON');
  return {
    language,
    folder,
    install: install.map(({ unless, steps }) => {
      const when = unless === undefined ? '' : `unless ${unless.join(' or ')}: `;
      return when + steps.map(words).join(' && ');
    }),
    build: words(build),
    requires: requires.map(({ path }) => path),
    start: plan.start?.line,
  };
}

function stepInWords(step: BuildStep): string {
  switch (step.do) {
    case 'run': {
      const where = step.folder === undefined ? '' : `in ${step.folder}: `;
      return `${where}${step.command}${step.fallback === undefined ? '' : `, else ${step.fallback.command}`}`;
    }
    case 'script':
      return `script ${step.name}? ${stepInWords(step.present)} : ${stepInWords(step.absent)}`;
    case 'python-server':
      return `langgraph-cli[inmem] ${step.version}`;
    case 'durable-worker':
      return step.command;
    case 'python-package':
      return step.requirement;
    case 'skip':
    case 'fail':
      return step.do;
  }
}
