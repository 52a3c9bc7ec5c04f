import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Files } from '../../support/files/write-files.ts';
import { aBuilder, aJob, aStore, type Builder, buildsOf, type Ended, type Job } from './set-up.ts';

const CANARY = "canary's-of-a-private-registry";
const variables = {
  buildEnv: [{ name: 'NEXT_PUBLIC_URL', value: 'https://shown.example' }],
  buildSecrets: [
    { name: 'NPM_TOKEN', value: CANARY },
    { name: 'PIP_INDEX_URL', value: `https://user:${CANARY}@pypi.example/simple` },
  ],
};
const server = { 'package.json': '{"scripts":{"start":"node ."}}' };
const agent = {
  'langgraph.json': JSON.stringify({ graphs: { a: './a.ts:graph' }, node_version: '22' }),
  'a.ts': '',
};

type Done = { builder: Builder; ended: Ended; seen: (path: string) => Promise<string> };

async function built(files: Files, job: Job = {}, described = 'FROM x\n'): Promise<Done> {
  const builder = await aBuilder();
  await builder.repository('app', files);
  await writeFile(join(builder.state, 'described/Dockerfile'), described);
  await writeFile(join(builder.state, 'described/contexts.json'), '{}');
  const ended = await builder.run(aJob({ ...variables, ...job }));
  return { builder, ended, seen: (path) => readFile(join(builder.state, path), 'utf8') };
}

async function folderJob(): Promise<Job> {
  const url = await aStore((request, response) => request.resume().on('end', () => response.end()));
  return { output: 'folder', artifactKey: 'k', artifactUploadUrl: `${url}/k` };
}

/** In what was bound as secrets it is, and nowhere else: no call, environment, line, report, Dockerfile, context. */
function expectHidden({ builder, ended }: Done): void {
  expect(JSON.stringify(ended)).not.toContain(CANARY);
  const found = execFileSync('grep', ['-rlF', CANARY, builder.state, join(builder.folder, 'tmp')], {
    encoding: 'utf8',
  });
  const others = found
    .trim()
    .split('\n')
    .filter((path) => !path.includes('/secrets/'));
  expect(others).toEqual([]);
}

it('gives a Dockerfile of the project’s own each secret by its name, and the rest as arguments', async () => {
  const done = await built({ ...server, Dockerfile: 'FROM own\nRUN npm ci\n' });
  const args = buildsOf(done.ended)[0]?.args ?? [];
  const bound = args.flatMap((one, at) => (one === '--secret' ? [args[at + 1]?.split(',')[0]] : []));
  expect(bound).toEqual(['id=slipway-environment', 'id=NPM_TOKEN', 'id=PIP_INDEX_URL']);
  expect(args[args.indexOf('--build-arg') + 1]).toBe('NEXT_PUBLIC_URL=https://shown.example');
  expect(await done.seen('build-0/secrets/NPM_TOKEN')).toBe(CANARY);
  expect(await done.seen('build-0/Dockerfile')).toBe('FROM own\nRUN npm ci\n');
  expectHidden(done);
});

it('gives them to the commands of a plan, of an image and of a folder, and keeps them from the end', async () => {
  for (const job of [{}, await folderJob()]) {
    const done = await built(server, job);
    const text = await done.seen('build-0/Dockerfile');
    const runs = text.split('\n').filter((line) => line.includes('/slipway/builder.mjs'));
    const bound = runs.map((line) =>
      / --mount=type=secret,id=slipway-environment,target=(\S+),mode=0444 \. \1 && \S+ \/slipway\/builder\.mjs /.test(
        line,
      ),
    );
    expect(bound).toEqual([true, true, false]);
    const script = await done.seen('build-0/secrets/slipway-environment');
    const print = `${script}\nprintf '%s\\n' "$NEXT_PUBLIC_URL" "$NPM_TOKEN" "$UV_DEFAULT_INDEX"`;
    expect(execFileSync('sh', ['-c', print], { encoding: 'utf8' }).split('\n')).toEqual([
      'https://shown.example',
      CANARY,
      `https://user:${CANARY}@pypi.example/simple`,
      '',
    ]);
    expectHidden(done);
  }
});

it('gives them to all that the Dockerfile of an agent runs by a shell', async () => {
  const described = [
    'FROM base',
    'RUN npm ci',
    'RUN --mount=type=cache,target=/c npm run x',
    'RUN ["exec", "form"]',
    'RUN   [ -d x ]',
    'RUN <<END',
    'END',
    'ENV RUN x',
    '',
  ].join('\n');
  const done = await built(agent, {}, described);
  const mount = '--mount=type=secret,id=slipway-environment,target=/run/slipway-environment,mode=0444';
  const source = '. /run/slipway-environment &&';
  expect((await done.seen('build-1/Dockerfile')).split('\n')).toEqual([
    'FROM base',
    `RUN ${mount} ${source} npm ci`,
    `RUN --mount=type=cache,target=/c ${mount} ${source} npm run x`,
    'RUN ["exec", "form"]',
    'RUN   [ -d x ]',
    'RUN <<END',
    'END',
    'ENV RUN x',
    '',
  ]);
  // The tool itself gets none.
  expect(buildsOf(done.ended)[0]?.args).not.toContain('--secret');
  expectHidden(done);
});

it('shows no secret that a build prints', async () => {
  const builder = await aBuilder();
  await builder.repository('app', server);
  await writeFile(join(builder.state, 'build-output'), `#5 1.2 token ${CANARY}\nERROR: ${CANARY}\n`);
  const ended = await builder.run(aJob(variables));
  expect(ended.lines).toContain('#5 1.2 token ***');
  expect(JSON.stringify(ended)).not.toContain(CANARY);
});

it('stores no folder that holds a secret, and names the file', async () => {
  const { ended } = await built({ ...server, 'dist/.npmrc': `token=${CANARY}` }, await folderJob());
  expect(ended.exported.FAILURE_REASON).toMatch(/build secret NPM_TOKEN in the file dist\/\.npmrc, /);
  expect(ended.exported.ARTIFACT_KEY).toBeUndefined();
  expect(JSON.stringify(ended)).not.toContain(CANARY);
});

it.each([{ rootDirectory: `apps/${CANARY}` }, { configPath: `apps/${CANARY}/langgraph.json` }])(
  'gives no reason that holds a secret: %o',
  async (wrong) => {
    const { ended } = await built(server, wrong);
    expect(ended.exported.FAILURE_REASON).toContain('apps/***');
    expect(ended.lines.at(-1)).toBe(`ERROR: ${ended.exported.FAILURE_REASON}`);
    expect(JSON.stringify(ended)).not.toContain(CANARY);
  },
);
