import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { handMadeTar } from '../../support/hand-made-tar.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { aBuilder, aJob, aStore, buildsOf, type Ended } from './set-up.ts';

const unpack = fileURLToPath(new URL('../../../lib/infra/image-builder/unpack.py', import.meta.url));

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
    [{ commitSha: 'main; touch pwned' }, "'main; touch pwned' is no commit"],
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
        GIT_CONFIG_COUNT: '3',
        GIT_CONFIG_KEY_0: 'http.followRedirects',
        GIT_CONFIG_VALUE_0: 'false',
        GIT_CONFIG_KEY_1: 'core.hooksPath',
        GIT_CONFIG_VALUE_1: '/dev/null',
        GIT_CONFIG_KEY_2: 'http.https://git.example/app.extraHeader',
        GIT_CONFIG_VALUE_2: `Authorization: Basic ${basic}`,
      });
      expect(JSON.stringify(args)).not.toContain(basic);
    }
    const others = calls.filter(({ tool }) => tool !== 'git');
    for (const text of [JSON.stringify(others), lines.join('\n')])
      expect([text.includes(TOKEN), text.includes(basic)]).toEqual([false, false]);
  });

  it.each([
    [false, []],
    [true, ['http.https://git.example/.extraHeader']],
  ])('is for submodules of its host only when the integration says so: %s', async (submodules, keys) => {
    const builder = await aBuilder();
    const library = await builder.repository('library', { 'a.txt': 'a' });
    const { git } = await builder.repository('app', {
      Dockerfile: 'FROM x',
      '.gitmodules': '[submodule "lib"]\n\tpath = lib\n\turl = https://git.example/library\n',
    });
    git('update-index', '--add', '--cacheinfo', `160000,${library.git('rev-parse', 'HEAD')},lib`);
    git('commit', '--quiet', '--message=module');
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
    expect(Object.keys(exported)).toEqual(['ARTIFACT_DIGEST']);
    expect(await readFile(join(builder.state, 'build-0/Dockerfile'), 'utf8')).toBe('FROM uploaded');
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
    expectFailed(tampered, 'The source tarball is not the one that was uploaded');
    expect(buildsOf(tampered)).toEqual([]);
    const gone = await builder.run(aJob({ source: { ...source, url: `${url}/gone` } }));
    expectFailed(gone, 'The source tarball cannot be read');
  });
});

/** Python that adds entries to a tar file `t`; `add(name, type, link, size)` makes one. */
const hostile: [string, string, RegExp][] = [
  ['a name above the folder', "add('../out')", /'\.\.\/out' leads out of it/],
  ['an absolute name', "add('/etc/out')", /'\/etc\/out' leads out of it/],
  ['a link out', "add('l', SYMTYPE, '../../x')", /the link 'l' leads out of it/],
  ['an absolute link', "add('l', SYMTYPE, '/etc')", /the link 'l' leads out of it/],
  ['a hard link out', "add('l', LNKTYPE, '../x')", /the link 'l' leads out of it/],
  ['a device', "add('d', CHRTYPE)", /'d' is neither a file, a folder nor a link/],
  ['an entry below a link', "add('a', DIRTYPE); add('l', SYMTYPE, 'a'); add('l/f')", /'l' is there twice/],
  ['an entry in the place of a link', "add('f'); add('l', SYMTYPE, 'f'); add('l')", /'l' is there twice/],
  [
    'links that lead out together',
    "add('a', SYMTYPE, 'b/..'); add('b', SYMTYPE, 'c/../..'); add('c', DIRTYPE)",
    /link .* leads out of it/,
  ],
  [
    'links that lead out only when they are followed',
    "add('a/b/c/d/e', DIRTYPE); add('a/b/c/d/e/l', SYMTYPE, '../../../../..'); add('m', SYMTYPE, 'a/b/c/d/e/l/../evil')",
    /the link 'm' leads out of it/,
  ],
  [
    'links that are longer together than a path may be',
    // Sixteen folders with long names, each with a short link to it: realpath gives up before it sees the way up.
    `p, names = '', 'abcdefghijklmnop'
for n in names:
    add(p + n * 230, DIRTYPE); add(p + n, SYMTYPE, n * 230); p += n * 230 + '/'
add(p + 'l', SYMTYPE, '../' * 16)
add('m', SYMTYPE, '/'.join(names) + '/l/../evil')`,
    /the link 'm' leads out of it/,
  ],
  [
    'a second name of a link, from where it leads out',
    "add('a/l', SYMTYPE, '../f'); add('l', LNKTYPE, 'a/l')",
    /the link 'l' leads out of it/,
  ],
  [
    'another archive inside',
    "t.close(); import gzip; one = open(sys.argv[1], 'rb').read(); open(sys.argv[1], 'wb').write(gzip.compress(one))",
    /it is damaged/,
  ],
  [
    'headers that each speak for the next one',
    "[t.fileobj.write(info('x', b'g').tobuf()) for i in range(2000)]",
    /it is damaged/,
  ],
  ['nothing', '', /it has no entries/],
  ['too many entries', "[add(f'f{i}') for i in range(42)]", /more than 40 entries/],
  ['a file that says it is large', "add('f', size=200_000)", /unpacks to more than 100000 bytes/],
  [
    'a file that is large',
    "t.addfile(info('f', size=300_000), io.BytesIO(bytes(300_000)))",
    /unpacks to more than 100000 bytes/,
  ],
];

describe('unpacking', () => {
  /** The real script with limits that a test can reach. */
  async function aCopy(folder: string): Promise<string> {
    const text = await readFile(unpack, 'utf8');
    expect(text).toContain('UNPACKED_BYTES_MAX = 1024**3\nENTRIES_MAX = 100_000\n');
    const small = text.replace('1024**3', '100_000').replace('ENTRIES_MAX = 100_000', 'ENTRIES_MAX = 40');
    await writeFile(join(folder, 'unpack.py'), small);
    return join(folder, 'unpack.py');
  }

  const make = (file: string, entries: string): void => {
    const head = `import io, sys, tarfile
from tarfile import CHRTYPE, DIRTYPE, LNKTYPE, REGTYPE, SYMTYPE
t = tarfile.open(sys.argv[1], 'w:gz')
def info(name, type=REGTYPE, link='', size=0):
    i = tarfile.TarInfo(name); i.type = type; i.linkname = link; i.size = size; return i
def add(*a, **k):
    t.addfile(info(*a, **k))
`;
    execFileSync('python3', ['-c', `${head}${entries}\nt.close()`, file]);
  };

  it('refuses what leads out, is no file, or is too large, and leaves nothing', async () => {
    const folder = await temporaryFolder();
    const script = await aCopy(folder);
    for (const [what, entries, reason] of hostile) {
      const file = join(folder, 'x.tgz');
      const target = join(folder, 'inner/target');
      await mkdir(target, { recursive: true });
      make(file, entries);
      let said = '';
      try {
        execFileSync('python3', [script, file, target], { stdio: ['ignore', 'pipe', 'pipe'] });
      } catch (error) {
        // What execFileSync throws has the output.
        said = String((error as { stdout: Buffer }).stdout);
      }
      expect({ what, said, left: await readdir(join(folder, 'inner')) }).toEqual({
        what,
        said: expect.stringMatching(reason),
        left: [],
      });
    }
  });

  it('reads no further than to the end of the archive, and says how far', async () => {
    const folder = await temporaryFolder();
    const [file, target] = [join(folder, 'x.tgz'), join(folder, 'target')];
    await mkdir(target);
    const packed = gzipSync(Buffer.alloc(16 * 1024 ** 2));
    await writeFile(file, Buffer.concat(Array.from({ length: 128 }, () => packed)));
    const { stdout, stderr } = spawnSync('python3', [unpack, file, target], { encoding: 'utf8' });
    expect(stdout).toBe('it has no entries\n');
    const [, inflated] = /^Read 0 entries of the tarball, (\d+) bytes inflated\n$/.exec(stderr) ?? [];
    expect(Number(inflated)).toBeLessThanOrEqual(128 * 1024);
  });

  it('ends when it takes too much time of the processor', async () => {
    const folder = await temporaryFolder();
    const [file, target] = [join(folder, 'x.tgz'), join(folder, 'target')];
    const script = join(folder, 'short.py');
    await mkdir(target);
    const text = await readFile(unpack, 'utf8');
    const short = text.replace('SECONDS_MAX = 120', 'SECONDS_MAX = 1').replace('= 100_000', '= 10**9');
    await writeFile(script, short);
    const header = handMadeTar({ path: 'x', type: 'Directory' }).subarray(0, 512);
    const packed = gzipSync(Buffer.alloc(16 * 1024 ** 2, header));
    await writeFile(file, Buffer.concat(Array.from({ length: 64 }, () => packed)));
    const { stdout } = spawnSync('python3', [script, file, target], { encoding: 'utf8' });
    expect(stdout).toBe('unpacking it takes more than 1 s of processor time\n');
  });

  it('keeps files, folders, modes and links that stay inside', async () => {
    const folder = await temporaryFolder();
    const script = await aCopy(folder);
    const [file, target] = [join(folder, 'x.tgz'), join(folder, 'target')];
    await mkdir(target);
    make(
      file,
      "add('a', DIRTYPE); add('a/f'); add('a/l', SYMTYPE, '../b'); add('b'); add('h', LNKTYPE, 'b')",
    );
    execFileSync('python3', [script, file, target]);
    expect((await readdir(target, { recursive: true })).sort()).toEqual(['a', 'a/f', 'a/l', 'b', 'h']);
  });

  it('says of anything else that it is no such file', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'x.tgz');
    await writeFile(file, 'PK no gzip');
    expect(() => execFileSync('python3', [unpack, file, join(folder, 'target')])).toThrow();
  });
});
