import { isTaken, json, type SourceTree } from './tree.ts';

export const javaScriptTrees: readonly SourceTree[] = [
  {
    name: 'the main file of package.json',
    files: { 'package.json': json({ main: './src/server.js' }), 'src/server.js': '', 'index.js': '' },
    expected: isTaken('a Node.js server', 'package.json', 'node src/server.js'),
  },
  {
    name: 'a main file that the build makes',
    files: { 'package.json': json({ main: 'dist/index.js', scripts: { build: 'tsc' } }) },
    expected: isTaken('a Node.js server', 'package.json', 'node dist/index.js', { build: 'npm run build' }),
  },
  {
    name: 'an index.js',
    files: { 'package.json': json({ main: 'gone.js' }), 'index.js': '' },
    expected: isTaken('a Node.js server', 'index.js', 'node index.js'),
  },
  {
    name: 'a main file, with bun and its lockfile',
    tools: ['bun'],
    files: { 'package.json': json({ dependencies: { a: '1' } }), 'index.ts': '', 'bun.lock': '' },
    expected: isTaken('a Node.js server', 'index.ts', 'bun index.ts', {
      install: 'bun install --frozen-lockfile',
    }),
  },
  {
    name: 'Next.js without scripts',
    files: { 'package.json': json({ dependencies: { next: '16', react: '19' } }), 'pages/index.js': '' },
    expected: isTaken('a Next.js app', 'package.json', 'next start --hostname $HOST --port $PORT', {
      install: 'npm install',
      build: 'npx next build',
    }),
  },
  {
    name: 'Mastra with a build script',
    files: { 'package.json': json({ devDependencies: { mastra: '1' }, scripts: { build: 'mastra build' } }) },
    expected: isTaken('a Mastra app', 'package.json', 'mastra start', {
      install: 'npm install',
      build: 'npm run build',
    }),
  },
  {
    name: 'Hono on Node.js',
    files: {
      'package.json': json({ dependencies: { hono: '4', '@hono/node-server': '1' } }),
      'src/index.ts': 'import { serve } from "@hono/node-server";\nserve({ fetch: app.fetch, port });\n',
    },
    expected: isTaken('a Hono server', 'src/index.ts', 'node src/index.ts', { install: 'npm install' }),
  },
  {
    name: 'Deno with a start task',
    tools: ['deno'],
    files: { 'deno.json': json({ tasks: { start: 'deno run main.ts' } }) },
    expected: isTaken('a Deno server', 'deno.json', 'deno task start'),
  },
  {
    name: 'Deno where there is none',
    files: { 'deno.json': '{}', 'main.ts': '' },
    expected: { refused: 'deno.json asks for deno, which is not installed where this is built' },
    inImages: isTaken('a Deno server', 'deno.json', 'deno run --allow-all main.ts'),
  },
  {
    name: 'scripts that call a package manager which is not there',
    files: {
      'package.json': json({
        packageManager: 'pnpm@10.1.0+sha512.abc',
        scripts: { build: 'pnpm -r build', start: 'pnpm --filter api start' },
      }),
      'pnpm-lock.yaml': '',
    },
    expected: isTaken(
      'a Node.js server',
      'package.json',
      "npx --yes --package=pnpm@10.1.0 -c 'pnpm --filter api start'",
      {
        install: 'npx --yes pnpm@10.1.0 install --frozen-lockfile',
        build: "npx --yes --package=pnpm@10.1.0 -c 'npm run build'",
      },
    ),
    inImages: isTaken('a Node.js server', 'package.json', 'pnpm --filter api start', {
      install: 'npx --yes pnpm@10.1.0 install --frozen-lockfile',
      build: 'npm run build',
    }),
  },
  {
    name: 'Hono that its build script compiles',
    files: {
      'package.json': json({
        main: './dist/index.js',
        dependencies: { hono: '4' },
        scripts: { build: 'tsc' },
      }),
      'src/index.ts': "import { app } from './app.js';\nserve(app);\n",
    },
    expected: isTaken('a Hono server', 'src/index.ts', 'node dist/index.js', {
      install: 'npm install',
      build: 'npm run build',
    }),
  },
];
