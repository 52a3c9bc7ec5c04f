import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { handMadeTar } from '../../support/files/hand-made-tar.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';

const unpack = fileURLToPath(new URL('../../../lib/infra/image-builder/unpack.py', import.meta.url));

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
