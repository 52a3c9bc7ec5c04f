import { FASTAPI, isTaken, json, REQUIREMENTS, SERVE, type SourceTree, UVICORN, VENV } from './tree.ts';

/** Sources of deployments that say where the project is, or how it is started. */
export const commandedTrees: readonly SourceTree[] = [
  {
    name: 'a console script that start_command starts',
    files: {
      'src/crew/main.py': 'def run(): ...\n',
      'pyproject.toml': '[project]\nname = "crew"\n[project.scripts]\ncrew-run = "crew.main:run"\n',
    },
    startCommand: 'crew-run --port $PORT',
    expected: isTaken('a server with a command of its own', 'start_command', 'crew-run --port $PORT', {
      install: `${VENV}, then uv pip install -r pyproject.toml`,
    }),
  },
  {
    name: 'FastAPI that start_command serves by another program',
    files: { 'main.py': FASTAPI, 'requirements.txt': 'fastapi' },
    startCommand: 'hypercorn main:app --bind $HOST:$PORT',
    expected: isTaken('a FastAPI app', 'main.py', 'hypercorn main:app --bind $HOST:$PORT', {
      install: `${VENV}, then ${REQUIREMENTS}, then hypercorn, unless the project brings hypercorn`,
    }),
  },
  {
    name: 'Next.js with a start_command, which is built all the same',
    files: { 'package.json': json({ dependencies: { next: '16' } }), 'pages/index.js': '' },
    startCommand: 'node server.mjs',
    expected: isTaken('a Next.js app', 'package.json', 'node server.mjs', {
      install: 'npm install',
      build: 'npx next build',
    }),
  },
  {
    name: 'a program that is not there where it is built, and a start_command',
    files: { 'go.mod': 'module x\n', 'main.go': 'package main\n' },
    startCommand: './made-elsewhere',
    expected: isTaken('a server with a command of its own', 'start_command', './made-elsewhere'),
    inImages: isTaken('a Go server', 'go.mod', './made-elsewhere', {
      build: 'go build -o slipway-server .',
    }),
  },
  {
    name: 'a start_command for one program of several in Go',
    tools: ['go'],
    files: {
      'go.mod': 'module x\n',
      'cmd/api/main.go': 'package main\n',
      'cmd/cli/main.go': 'package main\n',
    },
    startCommand: './api --port $PORT',
    expected: isTaken('a server with a command of its own', 'start_command', './api --port $PORT', {
      build: 'go build -o api ./cmd/api',
    }),
  },
  {
    name: 'a member of a uv workspace, whose lockfile lies above it',
    files: {
      'pyproject.toml': '[tool.uv.workspace]\nmembers = ["backend"]\n',
      'uv.lock': '',
      'backend/pyproject.toml': '[project]\nname = "app"\n',
      'backend/app/main.py': FASTAPI,
    },
    rootDirectory: 'backend',
    expected: isTaken('a FastAPI app', 'app/main.py', 'uvicorn app.main:app --host $HOST --port $PORT', {
      install: `${VENV}, then uv sync --no-dev --inexact --python PYTHON --project . --locked, then ${UVICORN}`,
    }),
  },
  {
    name: 'a project in a project of a uv workspace, which uv takes for no member',
    files: {
      'pyproject.toml': '[tool.uv.workspace]\nmembers = ["apps", "apps/*"]\n',
      'uv.lock': '',
      'apps/pyproject.toml': '[project]\nname = "apps"\n',
      'apps/api/pyproject.toml': '[project]\nname = "api"\n',
      'apps/api/main.py': FASTAPI,
    },
    rootDirectory: 'apps/api',
    expected: isTaken('a FastAPI app', 'main.py', SERVE, {
      install: `${VENV}, then uv pip install -r pyproject.toml, then ${UVICORN}`,
    }),
  },
  {
    name: 'a FastAPI app in its root_directory',
    files: { 'apps/api/main.py': FASTAPI, 'apps/api/requirements.txt': 'fastapi', 'package.json': '{}' },
    rootDirectory: 'apps/api',
    expected: isTaken('a FastAPI app', 'main.py', SERVE, {
      install: `${VENV}, then ${REQUIREMENTS}, then ${UVICORN}`,
    }),
  },
  {
    name: 'a server of a workspace in its root_directory, whose lockfile lies above it',
    files: {
      'pnpm-lock.yaml': '',
      'package.json': json({ private: true }),
      'apps/api/package.json': json({ dependencies: { a: '1' }, scripts: { start: 'node .' } }),
    },
    rootDirectory: 'apps/api',
    expected: isTaken('a Node.js server', 'package.json', 'node .', {
      install: 'npx --yes pnpm@10 install --frozen-lockfile',
    }),
  },
  {
    name: 'a root_directory that is not there',
    files: { Procfile: 'web: true' },
    rootDirectory: 'apps/api',
    expected: { refused: "root_directory 'apps/api' does not exist in the source" },
  },
  {
    name: 'a root_directory that leads out of the source',
    files: { out: { link: '/etc' }, Procfile: 'web: true' },
    rootDirectory: 'out',
    expected: { refused: "root_directory 'out' leads out of the source" },
  },
  {
    name: 'a root_directory that is a file',
    files: { Procfile: 'web: true' },
    rootDirectory: 'Procfile',
    expected: { refused: "root_directory 'Procfile' is not a folder of the source" },
  },
];
