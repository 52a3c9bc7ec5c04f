import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import * as tar from 'tar';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { BuildState } from '../../../lib/adapters/builds.ts';
import { gitRepository } from '../../support/files/git-repository.ts';
import { newFolder, removeFolder, temporaryFolder } from '../../support/files/temporary-folder.ts';
import { type Files, writeFiles } from '../../support/files/write-files.ts';
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
  const packed =
    tar.create({ cwd: folder, gzip: true, portable: true, sync: true }, ['package']).read() ?? '';
  const at = (url: string): string => `${url}/@acme/greet/-/greet-1.0.0.tgz`;
  const registry = await privateRegistry(`Bearer ${CANARY}`, (path, url) => {
    if (path.endsWith('.tgz')) return { type: 'application/octet-stream', body: packed };
    const versions = { '1.0.0': { ...about, dist: { tarball: at(url) } } };
    const body = JSON.stringify({ name: about.name, 'dist-tags': { latest: '1.0.0' }, versions });
    return { type: 'application/json', body };
  });
  const integrity = `sha512-${createHash('sha512').update(packed).digest('base64')}`;
  const locked = { version: about.version, resolved: at(registry.url), integrity };
  return { ...registry, locked };
}

/** `.npmrc` of a project that takes `@acme/…` from a registry. */
const npmrc = (url: string): string =>
  `@acme:registry=${url}/\n//${new URL(url).host}/:_authToken=\${NPM_TOKEN}\n`;

let uv: Promise<{ folder: string; path: string }> | undefined;
afterAll(async () => {
  if (uv !== undefined) await removeFolder((await uv).folder);
});

/** Puts uv, which is installed once, on the PATH of a test. */
async function withUv(): Promise<void> {
  uv ??= newFolder().then((folder) => ({ folder, path: installUv(folder).path }));
  vi.stubEnv('PATH', (await uv).path);
  onTestFinished(() => void vi.unstubAllEnvs());
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
  const index = await privateRegistry(`Basic ${credentials}`, (path) =>
    path.endsWith('.whl')
      ? { type: 'application/octet-stream', body }
      : { type: 'text/html', body: `<a href="/files/${wheel}">${wheel}</a>` },
  );
  const sha256 = createHash('sha256').update(body).digest('hex');
  return { ...index, locked: { url: `${index.url}/files/${wheel}`, sha256 } };
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

/** A project of uv with a lockfile, whose one package comes from an index with a name. */
function lockedProject({ url, locked }: Awaited<ReturnType<typeof pythonIndex>>): Files {
  return {
    'pyproject.toml': [
      '[project]\nname = "x"\nversion = "1"\nrequires-python = ">=3.9"\ndependencies = ["acme-greet"]',
      `[[tool.uv.index]]\nname = "private"\nurl = "${url}/simple"\nexplicit = true`,
      '[tool.uv.sources]\nacme-greet = { index = "private" }\n',
    ].join('\n'),
    'uv.lock': [
      'version = 1\nrequires-python = ">=3.9"\n',
      `[[package]]\nname = "acme-greet"\nversion = "1.0.0"\nsource = { registry = "${url}/simple" }`,
      `wheels = [{ url = "${locked.url}", hash = "sha256:${locked.sha256}" }]\n`,
      '[[package]]\nname = "x"\nversion = "1"\nsource = { virtual = "." }\ndependencies = [{ name = "acme-greet" }]\n',
      '[package.metadata]',
      `requires-dist = [{ name = "acme-greet", index = "${url}/simple" }]\n`,
    ].join('\n'),
  };
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
      '.npmrc': npmrc(registry.url),
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
    await withUv();
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

  it('leaves nothing that it downloads to another build of its tenant, which lacks the token', async () => {
    const registry = await npmRegistry();
    const set = await setUp();
    const dependencies = { '@acme/greet': '1.0.0' };
    const packages = { '': { name: 'x', dependencies }, 'node_modules/@acme/greet': registry.locked };
    const { url } = await gitRepository({
      'package.json': JSON.stringify({ name: 'x', dependencies, scripts: { start: 'node .' } }),
      // What is locked by its content is taken from a cache without a word to the registry.
      'package-lock.json': JSON.stringify({ name: 'x', lockfileVersion: 3, packages }),
      '.npmrc': npmrc(registry.url),
    });
    const { tenantId } = jobFor(url);
    const token = { buildSecrets: [{ name: 'NPM_TOKEN', value: CANARY }], maskValues: [CANARY] };
    const first = await set.run(jobFor(url, { tenantId, ...token }));
    expect((await filesOf(set, first.state)).has('node_modules/@acme/greet/index.js')).toBe(true);
    const other = await set.run(jobFor(url, { tenantId }));
    expect(messageOf(other.state)).toMatch(/^`npm ci` exited with code 1/);
    expect(messageOf(other.state)).toContain('401');
    expect(await readdir(join(set.dataFolder, 'work'))).toEqual([]);
  });

  it('installs what uv.lock names by the password of its index, and only with it', async () => {
    await withUv();
    const index = await pythonIndex();
    const set = await setUp();
    const { url } = await gitRepository(lockedProject(index));
    const { tenantId } = jobFor(url);
    const job = {
      tenantId,
      startCommand: 'python -m http.server $PORT',
      buildEnv: [{ name: 'UV_INDEX_PRIVATE_USERNAME', value: 'reader' }],
    };
    const password = { buildSecrets: [{ name: 'UV_INDEX_PRIVATE_PASSWORD', value: CANARY }] };
    const first = await set.run(jobFor(url, { ...job, ...password, maskValues: [CANARY] }));
    const files = await filesOf(set, first.state);
    expect([...files.keys()].some((path) => path.endsWith('site-packages/acme_greet.py'))).toBe(true);
    expectHidden(set, [...files], first.entries, first.state);
    const other = await set.run(jobFor(url, job));
    expect(messageOf(other.state)).toMatch(/^`uv sync .*exited with code/);
    expect(messageOf(other.state)).toContain('401');
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
