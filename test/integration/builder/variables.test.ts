import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import * as tar from 'tar';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { BuildState } from '../../../lib/adapters/builds.ts';
import { gitRepository } from '../../support/files/git-repository.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { writeFiles } from '../../support/files/write-files.ts';
import { onLoopback } from '../../support/http/loopback-server.ts';
import { installUv } from '../../support/programs/uv.ts';
import { jobFor, messageOf, setUp, unpack } from './set-up.ts';

const CANARY = 'canary-of-a-private-registry';

type Answer = { type: string; body: string | Buffer };

/** A registry on this machine that answers who sends this header alone; `asked` are the paths they asked for. */
async function privateRegistry(authorization: string, answer: (path: string, url: string) => Answer) {
  const asked: string[] = [];
  const registry = createServer((request, response) => {
    const path = request.url ?? '';
    if (request.headers.authorization !== authorization) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="private"' }).end();
      return;
    }
    asked.push(path);
    const { type, body } = answer(path, url);
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  const { url, close } = await onLoopback(registry);
  onTestFinished(close);
  return { url, asked };
}

/** A registry of npm that has `@acme/greet`. */
async function npmRegistry() {
  const folder = await temporaryFolder();
  const about = { name: '@acme/greet', version: '1.0.0', main: 'index.js' };
  await writeFiles(folder, {
    'package/package.json': JSON.stringify(about),
    'package/index.js': 'module.exports = "hello"',
  });
  const packed = tar.create({ cwd: folder, gzip: true, portable: true, sync: true }, ['package']).read();
  return privateRegistry(`Bearer ${CANARY}`, (path, url) => {
    if (path.endsWith('.tgz')) return { type: 'application/octet-stream', body: packed ?? '' };
    const dist = { tarball: `${url}/@acme/greet/-/greet-1.0.0.tgz` };
    const versions = { '1.0.0': { ...about, dist } };
    const body = JSON.stringify({ name: about.name, 'dist-tags': { latest: '1.0.0' }, versions });
    return { type: 'application/json', body };
  });
}

/** An index of Python packages that has `acme-greet`. */
async function pythonIndex() {
  const folder = await temporaryFolder();
  const info = 'acme_greet-1.0.0.dist-info';
  await writeFiles(folder, {
    'acme_greet.py': 'WORD = "hello"\n',
    [`${info}/METADATA`]: 'Metadata-Version: 2.1\nName: acme-greet\nVersion: 1.0.0\n',
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${info}/RECORD`]: `acme_greet.py,,\n${info}/METADATA,,\n${info}/WHEEL,,\n${info}/RECORD,,\n`,
  });
  const wheel = 'acme_greet-1.0.0-py3-none-any.whl';
  execFileSync('zip', ['-q', '-r', wheel, 'acme_greet.py', info], { cwd: folder });
  const body = execFileSync('cat', [join(folder, wheel)]);
  const credentials = Buffer.from(`reader:${CANARY}`).toString('base64');
  return privateRegistry(`Basic ${credentials}`, (path) =>
    path.endsWith('.whl')
      ? { type: 'application/octet-stream', body }
      : { type: 'text/html', body: `<a href="/files/${wheel}">${wheel}</a>` },
  );
}

type Set = Awaited<ReturnType<typeof setUp>>;

async function filesOf({ blobs }: Set, state: BuildState): Promise<Map<string, string>> {
  if (state.state !== 'succeeded' || state.artifact.kind !== 'folder') throw new Error(JSON.stringify(state));
  return unpack(blobs, state.artifact.key);
}

/** Neither what was made, nor what was said, nor a file that is left on this machine. */
function expectHidden({ dataFolder }: Set, ...shown: unknown[]): void {
  expect(JSON.stringify(shown)).not.toContain(CANARY);
  const found = execFileSync('sh', ['-c', 'grep -rlF "$0" "$1" || true', CANARY, dataFolder]);
  expect(found.toString()).toBe('');
}

describe('a build with variables of its own', () => {
  it('installs from a private registry of npm, and keeps nothing of its token', async () => {
    const registry = await npmRegistry();
    const set = await setUp();
    const { url } = await gitRepository({
      'package.json': JSON.stringify({
        name: 'x',
        dependencies: { '@acme/greet': '1.0.0' },
        scripts: {
          start: 'node .',
          build: 'node -p "require(\'@acme/greet\')+process.env.SUFFIX" >built.txt',
        },
      }),
      '.npmrc': `@acme:registry=${registry.url}/\n//127.0.0.1:${new URL(registry.url).port}/:_authToken=\${NPM_TOKEN}\n`,
    });
    const secrets = {
      buildEnv: [{ name: 'SUFFIX', value: '-there' }],
      buildSecrets: [{ name: 'NPM_TOKEN', value: CANARY }],
      maskValues: [CANARY],
    };
    const { state, log, entries } = await set.run(jobFor(url, secrets));
    const files = await filesOf(set, state);
    expect(files.get('built.txt')).toBe('hello-there\n');
    expect(log.join('\n')).toContain('is not kept for the next build: what is installed may hold secrets');
    expect(registry.asked.some((path) => path.endsWith('.tgz'))).toBe(true);
    expectHidden(set, [...files], entries, state);
    const without = await set.run(jobFor(url));
    expect(messageOf(without.state)).toContain('npm install');
  });

  it('installs from a private index of Python, and keeps nothing of its password', async () => {
    vi.stubEnv('PATH', installUv(await temporaryFolder()).path);
    onTestFinished(() => void vi.unstubAllEnvs());
    const index = await pythonIndex();
    const set = await setUp();
    const { url } = await gitRepository({
      'apps/greet/requirements.txt': 'acme-greet\n',
      'apps/greet/Procfile': 'web: python -m http.server $PORT',
    });
    const address = `${index.url.replace('//', `//reader:${CANARY}@`)}/simple`;
    const job = jobFor(url, {
      rootDirectory: 'apps/greet',
      buildCommand: 'python -c "import acme_greet; print(acme_greet.WORD)"',
      buildSecrets: [{ name: 'PIP_INDEX_URL', value: address }],
      maskValues: [address],
    });
    const { state, log, entries } = await set.run(job);
    const files = await filesOf(set, state);
    expect(log).toContain('hello');
    expect(JSON.parse(files.get('.slipway-start.json') ?? '')).toMatchObject({
      folder: 'apps/greet',
      venv: 'apps/greet/.venv',
    });
    expectHidden(set, [...files], entries, state);
  });

  it('stores nothing that holds a secret, and names the file', async () => {
    const set = await setUp();
    const { url } = await gitRepository({ Procfile: 'web: true' });
    const job = jobFor(url, {
      buildCommand: 'mkdir out && printenv TOKEN >out/token.txt',
      buildSecrets: [{ name: 'TOKEN', value: CANARY }],
      maskValues: [CANARY],
    });
    const { state, entries, log } = await set.run(job);
    expect(messageOf(state)).toMatch(
      /^The build has left the value of the build secret TOKEN in the file out\/token\.txt, /,
    );
    expect(log.at(-1)).toBe(messageOf(state));
    expect(
      await set.blobs.head(`artifacts/${job.tenantId}/${job.deploymentId}/${job.revisionId}.tar`),
    ).toBeUndefined();
    expect(JSON.stringify([state, entries])).not.toContain(CANARY);
  });

  it('installs again where a variable is another', async () => {
    const set = await setUp();
    const { url } = await gitRepository({
      'package.json': JSON.stringify({ dependencies: { dep: '1' }, scripts: { start: 'node .' } }),
    });
    const tools = await temporaryFolder();
    await writeFiles(tools, {
      npm: '#!/bin/sh\nmkdir -p node_modules/dep && echo "with $COLOUR" >node_modules/dep/a\n',
    });
    execFileSync('chmod', ['+x', join(tools, 'npm')]);
    vi.stubEnv('PATH', `${tools}:${process.env.PATH}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const tenantId = jobFor(url).tenantId;
    const colours: (string | undefined)[] = [];
    for (const value of ['red', 'blue', 'red']) {
      const { state } = await set.run(jobFor(url, { tenantId, buildEnv: [{ name: 'COLOUR', value }] }));
      colours.push((await filesOf(set, state)).get('node_modules/dep/a'));
    }
    expect(colours).toEqual(['with red\n', 'with blue\n', 'with red\n']);
  });
});

describe('a root directory', () => {
  const job = { rootDirectory: 'apps/api', buildCommand: 'cat ../../libs/a.txt >out.txt' };

  it('is where commands run, with the whole source around it', async () => {
    const set = await setUp();
    const { url } = await gitRepository({ 'apps/api/Procfile': 'web: ./serve', 'libs/a.txt': 'shared' });
    const files = await filesOf(set, (await set.run(jobFor(url, job))).state);
    expect([files.get('apps/api/out.txt'), files.get('libs/a.txt')]).toEqual(['shared', 'shared']);
    expect(JSON.parse(files.get('.slipway-start.json') ?? '')).toMatchObject({
      folder: 'apps/api',
      line: './serve',
    });
  });
});
