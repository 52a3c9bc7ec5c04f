import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitRepository, gitRepositoryIn } from '../../support/files/git-repository.ts';
import { newFolder, removeFolder } from '../../support/files/temporary-folder.ts';
import { jobFor, messageOf, setUp, unpack } from './set-up.ts';

const script = (build: string) =>
  JSON.stringify({ name: 'x', version: '1.0.0', scripts: { build, start: 'node .' } });

describe('a build that succeeds', () => {
  it('stores the built folder without git, with its commit, sha256 and times', async () => {
    const { run, blobs } = await setUp();
    const repository = await gitRepository({
      'package.json': script('node -p "process.version" > built.txt'),
      'src/a.js': 'a',
      link: { link: 'src/a.js' },
      'leads-out': { link: '../../../../../etc/passwd' },
      absolute: { link: '/etc/passwd' },
    });
    const job = jobFor(repository.url);
    const { state, log } = await run(job);
    expect(state).toMatchObject({ state: 'succeeded', commitSha: repository.git('rev-parse', 'HEAD') });
    if (state.state !== 'succeeded' || state.artifact.kind !== 'folder') throw new Error('no folder');
    const { artifact } = state;
    expect(artifact.key).toBe(`artifacts/${job.tenantId}/${job.deploymentId}/${job.revisionId}.tar`);
    const bytes = Buffer.concat(await blobs.read(artifact.key).toArray());
    expect(artifact.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(artifact.sizeBytes).toBe(bytes.length);
    expect(artifact.server).toBe('other');
    const files = await unpack(blobs, artifact.key);
    expect(files.get('built.txt')).toBe(`${process.version}\n`);
    const paths = [...files.keys()].filter((path) => !path.endsWith('/') && path !== '');
    expect(paths.sort()).toEqual(['.slipway-start.json', 'built.txt', 'link', 'package.json', 'src/a.js']);
    expect(JSON.parse(files.get('.slipway-start.json') ?? '')).toEqual({
      folder: '.',
      line: 'node .',
      from: 'the start script of package.json',
    });
    expect(log.filter((line) => line.startsWith('Left out'))).toHaveLength(2);
    expect(log).toContain('Nothing to install: package.json lists no dependencies');
    expect(log).toContain('Running build command: npm run build');
    expect(log.at(-1)).toMatch(/^timing: clone_ms=\d+ install_ms=\d+ build_ms=\d+ pack_ms=\d+ total_ms=\d+$/);
  });

  it('builds exactly the commit it is given, also one that no branch ends in', async () => {
    const { run, blobs } = await setUp();
    const repository = await gitRepository({ version: 'one', Procfile: 'web: true' });
    const commitSha = repository.git('rev-parse', 'HEAD');
    await repository.commit({ version: 'two' });
    const job = jobFor(repository.url, {
      source: { kind: 'git', repoUrl: repository.url, ref: 'main', commitSha },
    });
    const { state } = await run(job);
    if (state.state !== 'succeeded' || state.artifact.kind !== 'folder')
      throw new Error(JSON.stringify(state));
    expect((await unpack(blobs, state.artifact.key)).get('version')).toBe('one');
  });

  it('builds a commit of a repository in the SHA-256 object format', async () => {
    const { run, blobs } = await setUp();
    const repository = await gitRepository({ Procfile: 'web: true' }, 'sha256');
    const { state } = await run(jobFor(repository.url));
    if (state.state !== 'succeeded' || state.artifact.kind !== 'folder')
      throw new Error(JSON.stringify(state));
    expect(state.commitSha).toBe(repository.git('rev-parse', 'HEAD'));
    expect((await unpack(blobs, state.artifact.key)).get('Procfile')).toBe('web: true');
  });

  it("runs in the config file's folder and keeps the whole tree", async () => {
    const { run, blobs } = await setUp();
    const repository = await gitRepository({
      'apps/agent/langgraph.json': '{}',
      'apps/agent/package.json': script('cat ../../libs/shared.txt > out.txt'),
      'libs/shared.txt': 'shared',
    });
    const job = jobFor(repository.url, { configPath: 'apps/agent/langgraph.json' });
    const { state } = await run(job);
    if (state.state !== 'succeeded' || state.artifact.kind !== 'folder')
      throw new Error(JSON.stringify(state));
    const files = await unpack(blobs, state.artifact.key);
    expect([files.get('apps/agent/out.txt'), files.get('libs/shared.txt')]).toEqual(['shared', 'shared']);
  });

  it("runs the client's commands, in an environment of no npm, no Slipway and no AWS variables", async () => {
    const { run } = await setUp();
    const repository = await gitRepository({ Procfile: 'web: true' });
    const commands = { installCommand: 'echo installing && env', buildCommand: 'echo building' };
    const { state, log } = await run(jobFor(repository.url, commands));
    expect(state.state).toBe('succeeded');
    expect(log).toEqual(expect.arrayContaining(['installing', 'building']));
    const names = log.filter((line) => /^\w+=/.test(line)).map((line) => line.split('=')[0] ?? '');
    const leaked = names.filter((name) =>
      /^(npm_(?!config_(audit|fund|update_notifier)$)|AWS_|NODE_ENV|INIT_CWD|VITEST)/.test(name),
    );
    expect(names).toContain('PATH');
    expect(leaked).toEqual([]);
  });

  it('runs no hooks of a repository', async () => {
    const { run, log } = { log: [] as string[], ...(await setUp()) };
    const repository = await gitRepository({ '.githooks/post-checkout': '#!/bin/sh\necho HOOK\n' });
    log.push(...(await run(jobFor(repository.url))).log);
    expect(log.join('\n')).not.toContain('HOOK');
  });

  it('fetches submodules', async () => {
    const { run, blobs } = await setUp();
    const library = await gitRepository({ 'lib.txt': 'library' });
    const repository = await gitRepository({ Procfile: 'web: true' });
    repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.url, 'vendor');
    await repository.commit({});
    const { state } = await run(jobFor(repository.url));
    if (state.state !== 'succeeded' || state.artifact.kind !== 'folder')
      throw new Error(JSON.stringify(state));
    expect((await unpack(blobs, state.artifact.key)).get('vendor/lib.txt')).toBe('library');
  });

  it('falls back to npm install when the lockfile does not fit, and says so', async () => {
    const { run, blobs } = await setUp();
    const repository = await gitRepository({
      'package.json': JSON.stringify({
        name: 'x',
        version: '1.0.0',
        scripts: { start: 'node .' },
        dependencies: { dep: 'file:./dep' },
      }),
      'package-lock.json': JSON.stringify({
        name: 'x',
        version: '1.0.0',
        lockfileVersion: 3,
        packages: { '': { name: 'x', version: '1.0.0' } },
      }),
      'dep/package.json': JSON.stringify({ name: 'dep', version: '1.0.0', main: 'index.js' }),
      'dep/index.js': '',
    });
    // npm to install is enough: that it runs a script is tested above.
    const { state, log } = await run(jobFor(repository.url, { buildCommand: 'node -e "require(\'dep\')"' }));
    if (state.state !== 'succeeded' || state.artifact.kind !== 'folder')
      throw new Error(JSON.stringify(state));
    expect(log).toContain('Running install command: npm ci');
    expect(log.join('\n')).toContain('`npm install` is used instead of `npm ci`');
    expect(log).toContain('Running install command: npm install');
    expect([...(await unpack(blobs, state.artifact.key)).keys()]).toContain('node_modules/dep');
  });
});

it('compresses what it stores', async () => {
  const { run, blobs } = await setUp();
  const text = Array.from({ length: 100_000 }, (_, line) => `line ${line} is much like the others\n`).join(
    '',
  );
  const { url } = await gitRepository({ 'large.txt': text, Procfile: 'web: true' });
  const { state } = await run(jobFor(url));
  if (state.state !== 'succeeded' || state.artifact.kind !== 'folder') throw new Error('the build failed');
  expect(state.artifact.sizeBytes).toBeLessThan(text.length / 5);
  expect((await unpack(blobs, state.artifact.key)).get('large.txt')).toBe(text);
});

describe('a build that fails', () => {
  it('quotes the last lines of a command, ends the log with the cause, and stores nothing', async () => {
    const { run, blobs } = await setUp();
    const repository = await gitRepository({
      'package.json': script('echo compiling; echo "boom at line 7" >&2; exit 3'),
    });
    const job = jobFor(repository.url);
    const { state, entries } = await run(job);
    const message = messageOf(state);
    expect(message).toMatch(/^`npm run build` exited with code 3:\n/);
    expect(message).toContain('boom at line 7');
    expect(message.length).toBeLessThanOrEqual(2_000);
    expect(entries.at(-1)).toMatchObject({ level: 'ERROR', message: '`npm run build` exited with code 3' });
    const key = `artifacts/${job.tenantId}/${job.deploymentId}/${job.revisionId}.tar`;
    expect(await blobs.head(key)).toBeUndefined();
  });

  it('shows no secret value in a line or in the message', async () => {
    const { run } = await setUp();
    const repository = await gitRepository({ Procfile: 'web: true' });
    const buildCommand = 'echo token is hunter2-hunter2 && exit 1';
    const { state, log } = await run(
      jobFor(repository.url, { buildCommand, maskValues: ['hunter2-hunter2', 'short'] }),
    );
    expect(messageOf(state)).toContain('token is ***');
    expect(JSON.stringify([state, log])).not.toContain('hunter2-hunter2');
  });

  it('names a repository that is not there', async () => {
    const { run } = await setUp();
    const { state, log } = await run(jobFor('file:///nowhere/at-all'));
    expect(messageOf(state)).toMatch(
      /^Repository file:\/\/\/nowhere\/at-all cannot be read: .*does not appear to be a git/,
    );
    expect(log.at(-1)).toBe(messageOf(state));
  });

  it('names a ref and a commit that are not there', async () => {
    const { run } = await setUp();
    const { url } = await gitRepository({ Procfile: 'web: true' });
    const byRef = await run(
      jobFor(url, { source: { kind: 'git', repoUrl: url, ref: 'nope', commitSha: undefined } }),
    );
    expect(messageOf(byRef.state)).toBe(`Ref 'nope' does not exist in ${url}; branches there: main`);
    const commitSha = '0123456789012345678901234567890123456789';
    const byCommit = await run(
      jobFor(url, { source: { kind: 'git', repoUrl: url, ref: 'main', commitSha } }),
    );
    expect(messageOf(byCommit.state)).toContain(`Commit ${commitSha} cannot be checked out of ${url}`);
  });

  describe('for its config path', () => {
    let folder: string;
    let url: string;
    beforeAll(async () => {
      folder = await newFolder();
      ({ url } = await gitRepositoryIn(folder, {
        outside: { link: '/etc' },
        passwd: { link: '/etc/passwd' },
        'folder/a': '1',
        'package.json': script('echo must not run'),
      }));
    });
    afterAll(() => removeFolder(folder));

    it.each([
      ['..', '../langgraph.json', /leads out of the source/],
      ['a path through the folder above', 'a/../../x/langgraph.json', /leads out of the source/],
      ['a linked folder', 'outside/passwd', /leads out of the source/],
      ['a linked file', 'passwd', /leads out of the source/],
      ['a missing file', 'missing.json', /^Config file 'missing.json' does not exist in the source$/],
      ['a missing folder', 'no/langgraph.json', /does not exist in the source/],
      ['a folder', 'folder', /is not a file/],
      [
        'another kind of file',
        'folder/a',
        /^Config file 'folder\/a' is of another kind: .* set root_directory/,
      ],
    ])('refuses a config path of %s', async (_, configPath, reason) => {
      const { run } = await setUp();
      const { state, log } = await run(jobFor(url, { configPath }));
      expect(messageOf(state)).toMatch(reason);
      expect(log).not.toContain('must not run');
    });
  });

  it('refuses to make an image, and a package.json that is none', async () => {
    const { run } = await setUp();
    const { url } = await gitRepository({ 'package.json': '{"name":' });
    expect(messageOf((await run(jobFor(url, { output: 'image' }))).state)).toContain('not images');
    expect(messageOf((await run(jobFor(url))).state)).toContain('package.json is not valid JSON');
  });
});
