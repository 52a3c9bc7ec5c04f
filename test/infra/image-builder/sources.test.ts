import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { handMadeTar } from '../../support/files/hand-made-tar.ts';
import { aBuilder, aJob, aStore, type Builder, buildsOf, type Call, type Ended } from './set-up.ts';

const expectFailed = ({ lines, exported }: Ended, reason: string): void => {
  expect(lines.at(-1)).toContain(`ERROR: ${reason}`);
  expect(exported.FAILURE_REASON).toContain(reason);
};

describe('a repository', () => {
  it('is built at the commit that was asked for, not at what its branch has become', async () => {
    const builder = await aBuilder();
    const { git, commit } = await builder.repository('app', { Dockerfile: 'FROM first' });
    const commitSha = git('rev-parse', 'HEAD');
    await commit({ Dockerfile: 'FROM second' });
    git('config', 'uploadpack.allowReachableSHA1InWant', 'true');
    const source = { kind: 'git', repoUrl: 'https://git.example/app', ref: 'main', commitSha };
    const { exported } = await builder.run(aJob({ source }));
    expect(exported.COMMIT_SHA).toBe(commitSha);
    expect(await readFile(join(builder.state, 'build-0/Dockerfile'), 'utf8')).toBe('FROM first');
  });

  it('is built at the commit of an annotated tag, and says which', async () => {
    const builder = await aBuilder();
    const { git } = await builder.repository('app', { Dockerfile: 'FROM x' });
    git('tag', '-a', 'v1', '-m', 'one');
    const source = { kind: 'git', repoUrl: 'https://git.example/app', ref: 'refs/tags/v1' };
    const { exported } = await builder.run(aJob({ source }));
    expect(exported.COMMIT_SHA).toBe(git('rev-parse', 'HEAD'));
  });

  it('may be in the SHA-256 object format, with or without a commit that was asked for', async () => {
    const builder = await aBuilder();
    const { git } = await builder.repository('app', { Dockerfile: 'FROM x' }, 'sha256');
    const head = git('rev-parse', 'HEAD');
    for (const asked of [{}, { commitSha: head }]) {
      const source = { kind: 'git', repoUrl: 'https://git.example/app', ref: 'main', ...asked };
      const { exported, lines } = await builder.run(aJob({ source }));
      expect([exported.COMMIT_SHA, lines.at(-1)]).toEqual([head, expect.not.stringContaining('ERROR')]);
    }
  });

  it('gets the files that Git LFS keeps, with its token, where there is a git-lfs', async () => {
    const builder = await aBuilder();
    await builder.repository('app', {
      Dockerfile: 'FROM x',
      '.gitattributes': '*.bin filter=lfs\n',
      'a.bin': `version https://git-lfs.github.com/spec/v1\noid sha256:${'5'.repeat(64)}\nsize 7\n`,
    });
    const credentials = { host: 'git.example', token: 'of-the-integration' };
    const source = { kind: 'git', repoUrl: 'https://git.example/app', ref: 'main', credentials };
    const refused = await builder.run(aJob({ source }));
    expectFailed(refused, 'Git LFS keeps a.bin, and git-lfs, which fetches them, is not installed');
    expect(buildsOf(refused)).toEqual([]);
    const program = '#!/bin/sh\ntest "$1" = version || printf fetched > a.bin\n';
    await writeFile(join(builder.folder, 'added/git-lfs'), program, { mode: 0o755 });
    const { calls } = await builder.run(aJob({ source }));
    expect(await readFile(join(builder.state, 'build-0/context/a.bin'), 'utf8')).toBe('fetched');
    const [pull] = calls.filter(({ tool, args }) => tool === 'git' && args.at(-1) === 'pull');
    expect(JSON.stringify(pull?.env)).toContain('Authorization: Basic ');
  });

  it.each([
    [{ ref: 'gone' }, "Ref 'gone' of https://git.example/app cannot be resolved to a commit"],
    [
      { ref: '--upload-pack=touch pwned' },
      'Repository https://git.example/app cannot be read: invalid refspec',
    ],
    [{ repoUrl: 'https://git.example/none' }, 'Repository https://git.example/none cannot be read: '],
    [
      { repoUrl: 'file:///etc' },
      'Repository file:///etc cannot be read: builds read repositories over https only',
    ],
    [{ repoUrl: 'ext::sh -c touch% pwned' }, 'Repository ext::sh -c touch% pwned cannot be read'],
    [{ commitSha: 'main; touch pwned' }, "'main; touch pwned' is not a commit"],
  ])('that cannot be had says why: %j', async (changes, reason) => {
    const builder = await aBuilder();
    await builder.repository('app', { Dockerfile: 'FROM x' });
    const source = { kind: 'git', repoUrl: 'https://git.example/app', ref: 'main', ...changes };
    const ended = await builder.run(aJob({ source }));
    expectFailed(ended, reason);
    expect(buildsOf(ended)).toEqual([]);
    expect(await readdir(join(builder.folder, 'cwd'))).toEqual([]);
  });
});

/** Makes the repository `app`, whose submodule is another one of the same host. */
async function withSubmodule(builder: Builder): Promise<void> {
  const library = await builder.repository('library', { 'a.txt': 'a' });
  const { git } = await builder.repository('app', {
    Dockerfile: 'FROM x',
    '.gitmodules': '[submodule "lib"]\n\tpath = lib\n\turl = https://git.example/library\n',
  });
  git('update-index', '--add', '--cacheinfo', `160000,${library.git('rev-parse', 'HEAD')},lib`);
  git('commit', '--quiet', '--message=module');
}

describe('the token of an integration', () => {
  const TOKEN = 'token-of-the-integration';
  const credentials = { host: 'git.example', token: TOKEN, submodules: false };
  const source = { kind: 'git', repoUrl: 'https://git.example/app', ref: 'main', credentials };

  it('is for requests of git to the repository itself, which lead nowhere else', async () => {
    const builder = await aBuilder();
    await builder.repository('app', { Dockerfile: 'FROM x' });
    const { calls, lines } = await builder.run(aJob({ source }));
    const basic = Buffer.from(`x-access-token:${TOKEN}`).toString('base64');
    const fetches = calls.filter(({ tool, args }) => tool === 'git' && args.includes('fetch'));
    expect(fetches.length).toBeGreaterThan(0);
    for (const { env, args } of fetches) {
      expect(env).toMatchObject({
        GIT_CONFIG_COUNT: '4',
        GIT_CONFIG_KEY_0: 'http.followRedirects',
        GIT_CONFIG_VALUE_0: 'false',
        GIT_CONFIG_KEY_1: 'core.hooksPath',
        GIT_CONFIG_VALUE_1: '/dev/null',
        GIT_CONFIG_KEY_2: 'http.https://git.example/app.extraHeader',
        GIT_CONFIG_VALUE_2: `Authorization: Basic ${basic}`,
        GIT_CONFIG_KEY_3: 'http.https://git.example/app.git.extraHeader',
        GIT_CONFIG_VALUE_3: `Authorization: Basic ${basic}`,
      });
      expect(JSON.stringify(args)).not.toContain(basic);
    }
    const others = calls.filter(({ tool }) => tool !== 'git');
    for (const text of [JSON.stringify(others), lines.join('\n')])
      expect([text.includes(TOKEN), text.includes(basic)]).toEqual([false, false]);
  });

  it('is masked in what git prints and in the reason of a failure', async () => {
    const builder = await aBuilder();
    const basic = Buffer.from(`x-access-token:${TOKEN}`).toString('base64');
    const git = join(builder.folder, 'bin/git');
    await writeFile(
      git,
      `#!/bin/sh\nprintf 'remote: not for ${TOKEN}' >&2; echo ' or ${basic}' >&2; exit 1\n`,
    );
    const ended = await builder.run(aJob({ source }));
    expectFailed(ended, 'Repository https://git.example/app cannot be read: not for *** or ***');
    expect(ended.lines.join('\n')).not.toMatch(new RegExp(`${TOKEN}|${basic}`));
  });

  it.each(['app', 'app/', 'app.git', 'app.git/'])(
    'is for the repository under both of its names when it is spelled %s, and for no neighbour',
    async (spelled) => {
      const builder = await aBuilder();
      await builder.repository('app', { Dockerfile: 'FROM x' });
      await builder.repository('app.git', { Dockerfile: 'FROM x' });
      const repoUrl = `https://git.example/${spelled}`;
      const { calls } = await builder.run(aJob({ source: { ...source, repoUrl } }));
      const [fetch] = calls.filter(({ tool, args }) => tool === 'git' && args.includes('fetch'));
      const headerFor = (url: string): string => {
        const args = ['config', '--get-urlmatch', 'http.extraHeader', url];
        const env = { ...fetch?.env, PATH: process.env.PATH ?? '' };
        return spawnSync('git', args, { cwd: '/', env, encoding: 'utf8' }).stdout;
      };
      for (const way of ['app/info/refs', 'app.git/info/refs'])
        expect(headerFor(`https://git.example/${way}`)).toContain('Authorization: Basic ');
      for (const url of [
        'https://git.example/app2',
        'https://git.example/other.git',
        'https://git.example.git/',
      ])
        expect(headerFor(url)).toBe('');
    },
  );

  it('is for no command of git but those that ask a server', async () => {
    const builder = await aBuilder();
    await withSubmodule(builder);
    const access = { ...credentials, submodules: true };
    const { calls } = await builder.run(aJob({ source: { ...source, credentials: access } }));
    const ofGit = calls.filter(({ tool, args }) => tool === 'git' && args[0] === '-C');
    const given = ofGit.filter(({ env }) => JSON.stringify(env).includes('Authorization: Basic '));
    const commands = (some: Call[]) => [...new Set(some.map(({ args }) => args[2]))];
    expect(commands(given)).toEqual(['ls-remote', 'fetch', 'submodule']);
    expect(commands(ofGit)).toContain('checkout');
  });

  it.each([
    [false, []],
    [true, ['http.https://git.example/.extraHeader']],
  ])('is for submodules of its host only when the integration says so: %s', async (submodules, keys) => {
    const builder = await aBuilder();
    await withSubmodule(builder);
    const { calls } = await builder.run(
      aJob({ source: { ...source, credentials: { ...credentials, submodules } } }),
    );
    const fetching = calls.filter(({ tool, args }) => tool === 'git' && args.includes('submodule'));
    expect(fetching).toHaveLength(1);
    const headers = Object.values(fetching[0]?.env ?? {}).filter((value) => value.endsWith('.extraHeader'));
    expect(headers).toEqual(keys);
    expect(await readFile(join(builder.state, 'build-0/context/lib/a.txt'), 'utf8')).toBe('a');
  });

  it('is for no other host, and not there without an integration', async () => {
    const other = { ...source, credentials: { ...credentials, host: 'git.example.evil', submodules: true } };
    for (const job of [aJob(), aJob({ source: other })]) {
      const builder = await aBuilder();
      await builder.repository('app', { Dockerfile: 'FROM x' });
      const { calls } = await builder.run(job);
      const settings = calls.filter(({ tool }) => tool === 'git').map(({ env }) => env.GIT_CONFIG_COUNT);
      expect(new Set(settings)).toEqual(new Set(['2']));
    }
  });
});

describe('a tarball', () => {
  async function aTarball(folder: string): Promise<{ file: string; sha256: string }> {
    await mkdir(join(folder, 'upload'));
    await writeFile(join(folder, 'upload/Dockerfile'), 'FROM uploaded');
    const file = join(folder, 'upload.tgz');
    execFileSync('tar', ['-czf', file, '-C', join(folder, 'upload'), '.']);
    const sha256 = createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
    return { file, sha256 };
  }

  it('is unpacked and built, without a commit', async () => {
    const builder = await aBuilder();
    const { file, sha256 } = await aTarball(builder.folder);
    const url = await aStore((_, response) => createReadStream(file).pipe(response));
    const { exported } = await builder.run(
      aJob({ source: { kind: 'tarball', url: `${url}/x?signed`, sha256 } }),
    );
    expect(Object.keys(exported)).toEqual(['ARTIFACT_DIGEST', 'ARTIFACT_SERVER']);
    expect(await readFile(join(builder.state, 'build-0/Dockerfile'), 'utf8')).toBe('FROM uploaded');
  });

  it('that could reach out of its folder is not built', async () => {
    const builder = await aBuilder();
    const archive = gzipSync(handMadeTar({ path: '../out' }));
    const url = await aStore((_, response) => response.end(archive));
    const sha256 = createHash('sha256').update(archive).digest('hex');
    const ended = await builder.run(aJob({ source: { kind: 'tarball', url: `${url}/x`, sha256 } }));
    expectFailed(ended, "The source tarball cannot be unpacked: '../out' leads out of it");
    expect(ended.lines).toContainEqual(
      expect.stringMatching(/^Read 1 entries of the tarball, \d+ bytes inflated$/),
    );
    expect(buildsOf(ended)).toEqual([]);
  });

  it('that is not the recorded one, or is gone, is not built', async () => {
    const builder = await aBuilder();
    const { file } = await aTarball(builder.folder);
    const url = await aStore((request, response) => {
      if (request.url === '/gone') response.writeHead(404).end();
      else createReadStream(file).pipe(response);
    });
    const source = { kind: 'tarball', url: `${url}/x`, sha256: 'a'.repeat(64) };
    const tampered = await builder.run(aJob({ source }));
    expectFailed(tampered, 'The source tarball differs from the one that was uploaded');
    expect(buildsOf(tampered)).toEqual([]);
    const gone = await builder.run(aJob({ source: { ...source, url: `${url}/gone` } }));
    expectFailed(gone, 'The source tarball cannot be read');
  });
});
