import { describe, expect, it } from 'vitest';
import { folderDockerfile, serverDockerfile } from '../../../lib/builds/codebuild/dockerfiles.ts';
import { imagePlace } from '../../../lib/builds/codebuild/planned.ts';
import { toolsetOf } from '../../../lib/builds/codebuild/toolchains.ts';
import { findProject, planProject } from '../../../lib/builds/plan-project.ts';
import { programsOf } from '../../../lib/builds/programs.ts';
import { readPackageJson } from '../../../lib/builds/project.ts';
import { imageAddress } from '../../../lib/builds/versions.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { type Files, writeFiles } from '../../support/files/write-files.ts';

const json = (value: object): string => JSON.stringify(value);

async function toolsetFor(files: Files, buildCommand?: string) {
  const folder = await temporaryFolder();
  await writeFiles(folder, files);
  const request = await findProject(
    folder,
    { configPath: 'langgraph.json', buildCommand },
    { mayQuote: false },
  );
  const plan = await planProject(request, imagePlace);
  return toolsetOf(plan, await readPackageJson(request.root, request.folder), plan.node);
}

/** What is brought to an image, in one word each. */
const brought = (lines: readonly string[]): string[] => [
  ...new Set(
    lines.flatMap((line) => {
      const [, image, source] = /^COPY --from=(?:\S*\/)?(\w+)\S* (\S+)/.exec(line) ?? [];
      if (image !== undefined) return source?.includes('npm') ? ['npm'] : [image];
      return /(?:npm|pip) install .* (\w+)[@=]/.exec(line)?.[1] ?? [];
    }),
  ),
];

const requirements = { 'requirements.txt': 'x' };
const node = { build: 'node:24-bookworm', run: 'node:24-bookworm-slim' };
const python = { build: 'python:3.12-bookworm', run: 'python:3.12-slim-bookworm' };
const program = { ...node, run: 'debian:bookworm-slim' };

describe('an image', () => {
  it.each<[string, Files, { build: string; run: string }, string[], string[], string?]>([
    ['Node.js', { 'package.json': json({ scripts: { start: 'node .' } }) }, node, [], []],
    [
      'a server that bun starts',
      { 'package.json': json({ scripts: { start: 'bun x.ts' } }) },
      node,
      ['bun'],
      ['bun'],
    ],
    [
      'a lockfile of bun',
      { 'package.json': json({ dependencies: { a: '1' }, scripts: { start: 'node .' } }), 'bun.lock': '' },
      node,
      ['bun'],
      [],
    ],
    ['Deno', { 'deno.json': '{}', 'main.ts': '' }, node, ['deno'], ['deno']],
    ['Python', { 'main.py': 'app = FastAPI()', ...requirements }, python, ['uv'], []],
    [
      'Python of another version',
      { 'main.py': 'app = FastAPI()', '.python-version': '3.13' },
      { build: 'python:3.13-bookworm', run: 'python:3.13-slim-bookworm' },
      ['uv'],
      [],
    ],
    [
      'Python that uv runs',
      { Procfile: 'web: A=1 exec uv run serve', ...requirements },
      python,
      ['uv'],
      ['uv'],
    ],
    ['Python without dependencies', { Procfile: 'web: python server.py' }, python, ['uv'], []],
    [
      'Python and what npm builds',
      { Procfile: 'web: gunicorn a:b', 'package.json': json({ dependencies: { a: '1' } }), ...requirements },
      python,
      ['uv', 'node', 'npm'],
      [],
    ],
    [
      'Python that Node.js starts',
      {
        Procfile: 'web: npm run serve',
        'package.json': json({ scripts: { serve: 'bun x' } }),
        ...requirements,
      },
      python,
      ['uv', 'node', 'npm', 'bun'],
      ['node', 'npm', 'bun'],
    ],
    [
      'Node.js of another version',
      { 'index.js': '', 'package.json': json({ engines: { node: '>=18.17 <23' } }) },
      { build: 'node:22-bookworm', run: 'node:22-bookworm-slim' },
      [],
      [],
    ],
    ['Go', { 'go.mod': 'module x', 'main.go': 'package main' }, program, ['golang'], []],
    ['Rust', { 'Cargo.toml': '[package]\nname = "x"', 'src/main.rs': '' }, program, ['rust'], []],
    [
      'Go by a command',
      { Procfile: 'web: ./server', 'go.mod': 'module x' },
      node,
      ['golang'],
      [],
      'cd cmd && go build -o ../server .',
    ],
  ])('of %s has what its commands need', async (_, files, images, builds, runs, buildCommand) => {
    const { build, run } = await toolsetFor(files, buildCommand);
    expect({ build: build.image, run: run.image }).toEqual(images);
    expect([brought(build.lines), brought(run.lines)]).toEqual([builds, runs]);
  });

  it('takes each image that is chosen here by its digest', async () => {
    const all = [
      node.build,
      node.run,
      python.build,
      python.run,
      program.run,
      'golang:1.26-bookworm',
      'rust:1-bookworm',
    ];
    for (const name of all) expect(imageAddress(name)).toMatch(/@sha256:[0-9a-f]{64}$/);
  });

  it('has nothing of a project in its Dockerfile', async () => {
    const nasty = '$(touch pwned)';
    const tools = await toolsetFor(
      { Procfile: `web: ${nasty}`, [`${nasty}.py`]: '', ...requirements },
      nasty,
    );
    expect([serverDockerfile(tools, true), folderDockerfile(tools.build)].join('')).not.toContain('pwned');
  });
});

describe('the programs of lines', () => {
  it.each([
    ['A=b exec env X=1 node . && (bun x; deno y | go z)', ['node', 'bun', 'deno', 'go']],
    ['npm run --silent start', ['npm', 'pnpm', 'prisma', 'node']],
    ['npm run loop', ['npm']],
    ['', []],
    ['A=b', []],
  ])('%s', (line, programs) => {
    const scripts = {
      prestart: 'prisma generate',
      start: 'pnpm run serve',
      serve: 'node .',
      loop: 'npm run loop',
    };
    expect([...programsOf([line], scripts)].sort()).toEqual([...programs].sort());
  });
});
