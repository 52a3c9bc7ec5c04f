import { FASTAPI, isTaken, json, REQUIREMENTS, type SourceTree, VENV } from './tree.ts';

/** What was built before other kinds were known. Its plan stays as it was. */
export const knownTrees: readonly SourceTree[] = [
  {
    name: 'a start script',
    files: { 'package.json': json({ scripts: { start: 'node .' } }) },
    expected: isTaken('a Node.js server', 'package.json', 'node .'),
  },
  {
    name: 'a start script with a lockfile and a build script',
    files: {
      'package.json': json({ dependencies: { a: '1' }, scripts: { start: 'node .', build: 'tsc' } }),
      'package-lock.json': '{}',
    },
    expected: isTaken('a Node.js server', 'package.json', 'node .', {
      install: 'npm ci',
      build: 'npm run build',
    }),
  },
  {
    name: 'a start script that npm has to run',
    files: { 'package.json': json({ scripts: { prestart: 'x', start: 'node .' } }) },
    expected: isTaken('a Node.js server', 'package.json', 'npm run --silent start'),
  },
  {
    name: 'a start script beside a Procfile',
    files: { 'package.json': json({ scripts: { start: 'node .' } }), Procfile: 'web: other' },
    expected: isTaken('a server with a command of its own', 'Procfile', 'other'),
  },
  {
    name: 'a start script beside Python files',
    files: {
      'package.json': json({ dependencies: { a: '1' }, scripts: { start: 'node .' } }),
      'main.py': FASTAPI,
      'requirements.txt': 'fastapi',
    },
    expected: isTaken('a Node.js server', 'package.json', 'node .', { install: 'npm install' }),
  },
  {
    name: 'a start script beside a Dockerfile',
    files: { 'package.json': json({ scripts: { start: 'node .' } }), Dockerfile: 'FROM x' },
    expected: isTaken('a Node.js server', 'package.json', 'node .'),
  },
  {
    name: 'a start script, a lockfile of bun and no bun',
    files: {
      'package.json': json({ dependencies: { a: '1' }, scripts: { start: 'node .' } }),
      'bun.lock': '',
    },
    expected: isTaken('a Node.js server', 'package.json', 'node .', { install: 'npm install' }),
    inImages: isTaken('a Node.js server', 'package.json', 'node .', {
      install: 'bun install --frozen-lockfile',
    }),
  },
  {
    name: 'a package.json with a byte order mark',
    files: { 'package.json': `\ufeff${json({ scripts: { start: 'node .' } })}` },
    expected: isTaken('a Node.js server', 'package.json', 'node .'),
  },
  {
    name: 'a Procfile alone',
    files: { Procfile: 'release: no\nweb:  ./serve --port $PORT\n' },
    expected: isTaken('a server with a command of its own', 'Procfile', './serve --port $PORT'),
  },
  {
    name: 'a Procfile beside a package.json',
    files: {
      Procfile: 'web: node bin/www',
      'package.json': json({ dependencies: { a: '1' }, main: 'index.js', scripts: { build: 'tsc' } }),
      'index.js': '',
    },
    expected: isTaken('a server with a command of its own', 'Procfile', 'node bin/www', {
      install: 'npm install',
      build: 'npm run build',
    }),
  },
  {
    name: 'an agent in JavaScript, beside everything else',
    files: {
      'langgraph.json': json({ graphs: { a: './a.js:graph' } }),
      'a.js': '',
      'package.json': json({ dependencies: { a: '1' }, scripts: { start: 'no' } }),
      Procfile: 'web: no',
      'main.py': FASTAPI,
    },
    expected: {
      taken: 'langgraph.json describes an agent in JavaScript',
      install: 'npm install, then npm install --no-save --no-package-lock @langchain/langgraph-cli@1.4.5',
      build: 'nothing',
      start: 'the JavaScript agent server of langgraph.json',
    },
  },
  {
    name: 'an agent in Python',
    files: {
      'langgraph.json': json({ graphs: { a: './a.py:graph' }, dependencies: ['.'], python_version: '3.12' }),
      'a.py': '',
      'requirements.txt': 'langgraph',
    },
    expected: {
      taken: 'langgraph.json describes an agent in Python',
      install: `${VENV}, then ${REQUIREMENTS}, then langgraph-cli[inmem], unless the project brings it`,
      build: 'nothing',
      start: 'the Python agent server of langgraph.json',
    },
  },
  {
    name: 'commands of the client, and a start script',
    files: { 'package.json': json({ scripts: { start: 'node .', build: 'tsc' } }) },
    installCommand: 'make deps',
    buildCommand: 'make',
    expected: isTaken('a Node.js server', 'package.json', 'node .', { install: 'make deps', build: 'make' }),
  },
  {
    name: 'commands of the client alone, which may make something to start',
    files: { Makefile: '' },
    buildCommand: 'make',
    expected: {
      taken:
        'Nothing in this source says how it is started, so that is looked for once its commands have run',
      install: 'nothing',
      build: 'make',
      start: 'not known yet',
    },
  },
];
