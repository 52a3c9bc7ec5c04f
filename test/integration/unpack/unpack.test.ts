import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { type UnpackRequest, unpackArchive } from '../../../lib/unpack/unpack.ts';
import { handMadeTar } from '../../support/files/hand-made-tar.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { until } from '../../support/until.ts';

const MEBIBYTE = 1024 ** 2;
const inside = { compression: 'gzip', links: 'inside', bytesMax: MEBIBYTE, entriesMax: 100 } as const;

async function setUp(archive: Buffer, changes: Partial<UnpackRequest> = {}) {
  const processes = new ProcessSupervisor();
  onTestFinished(() => processes.close());
  const base = await temporaryFolder();
  const [file, folder] = [join(base, 'a.tgz'), join(base, 'content')];
  await mkdir(folder);
  await writeFile(file, archive);
  const request: UnpackRequest = { file, folder, ...inside, ...changes };
  const run = (signal = new AbortController().signal, seconds?: number) =>
    unpackArchive(processes, request, signal, seconds);
  return { base, folder, processes, run };
}

/** `times` such pieces behind one another, which is what a gzip file may be. */
function repeated(piece: Buffer, times: number): Buffer {
  const packed = gzipSync(piece);
  return Buffer.concat(Array.from({ length: times }, () => packed));
}

/** Eight million headers that say nothing: little to send, nothing to write, and long to read. */
const endless = repeated(
  Buffer.alloc(64 * MEBIBYTE, handMadeTar({ path: 'x', type: 'GlobalExtendedHeader' }).subarray(0, 512)),
  64,
);

describe('an archive', () => {
  it('is read to its end, and what it holds is counted', async () => {
    const entries = gzipSync(handMadeTar({ path: 'a/f' }, { path: 'b', mode: 0o4755 }));
    const twoGigabytes = repeated(Buffer.alloc(16 * MEBIBYTE), 128);
    const { run, folder } = await setUp(Buffer.concat([entries, twoGigabytes]));
    expect(await run()).toEqual({
      outcome: 'unpacked',
      counts: { entries: 2, bytesInflated: 64 * 1024 },
    });
    expect((await readdir(folder, { recursive: true })).sort()).toEqual(['a', 'a/f', 'b']);
    expect((await stat(join(folder, 'b'))).mode & 0o7777).toBe(0o755);
  });

  it('is unpacked only when it is the one that was meant', async () => {
    const archive = gzipSync(handMadeTar({ path: 'a' }));
    const sha256 = createHash('sha256').update(archive).digest('hex');
    expect((await (await setUp(archive, { sha256 })).run()).outcome).toBe('unpacked');
    const other = await setUp(archive, { sha256: '0'.repeat(64) });
    expect(await other.run()).toEqual({ outcome: 'changed', counts: { entries: 0, bytesInflated: 0 } });
    expect(await readdir(other.folder)).toEqual([]);
  });

  it('has links that stay inside, also to what is not there, and hard links', async () => {
    const { run, folder } = await setUp(
      gzipSync(
        handMadeTar(
          { path: 'a/f' },
          { path: 'a/h', type: 'Link', linkpath: 'a/f' },
          { path: 'a/l', type: 'SymbolicLink', linkpath: '../b/none' },
          { path: 'a/second', type: 'Link', linkpath: './a/l' },
          { path: 'up', type: 'SymbolicLink', linkpath: 'a/../a/f' },
        ),
      ),
    );
    expect((await run()).outcome).toBe('unpacked');
    expect((await readdir(folder, { recursive: true })).sort()).toEqual(
      ['a', 'a/f', 'a/h', 'a/l', 'a/second', 'up'].sort(),
    );
    expect(await readlink(join(folder, 'a/second'))).toBe('../b/none');
    expect((await stat(join(folder, 'a/f'))).nlink).toBe(2);
  });

  const chain = [
    { path: 'a/b/c/d/e/', type: 'Directory' },
    { path: 'a/b/c/d/e/l', type: 'SymbolicLink', linkpath: '../../../../..' },
    { path: 'm', type: 'SymbolicLink', linkpath: 'a/b/c/d/e/l/../evil' },
  ] as const;

  it.each([
    ['links that lead out together', handMadeTar(...chain), /^the link 'm' leads out of it$/],
    ['a file behind such links', handMadeTar(...chain, { path: 'm/f' }), /^'m' is there twice$/],
    [
      'a second name of a link, from where it leads out',
      handMadeTar(
        { path: 'a/l', type: 'SymbolicLink', linkpath: '../f' },
        { path: 'l', type: 'Link', linkpath: 'a/l' },
      ),
      /^the link 'l' leads out of it$/,
    ],
    [
      'links in a circle',
      handMadeTar(
        { path: 'a', type: 'SymbolicLink', linkpath: 'b' },
        { path: 'b', type: 'SymbolicLink', linkpath: 'a' },
      ),
      /^the link 'a' leads out of it$/,
    ],
    [
      'a link to the folder by its own name',
      handMadeTar({ path: 'l', type: 'SymbolicLink', linkpath: '../content/f' }),
      /leads out/,
    ],
    ['another archive inside', gzipSync(handMadeTar({ path: 'a' })), /^it is compressed twice$/],
    [
      'more content than there may be',
      Buffer.concat([handMadeTar({ path: 'a', size: 2 * MEBIBYTE })]),
      /^it unpacks to more than/,
    ],
    [
      'headers without end',
      Buffer.alloc(2 * MEBIBYTE, handMadeTar({ path: 'x', type: 'Directory' }).subarray(0, 512)),
      /^it has more than 100 entries$/,
    ],
  ])('is refused for %s', async (_, archive, reason) => {
    const { run, base } = await setUp(gzipSync(archive));
    expect(await run()).toMatchObject({ outcome: 'refused', reason: expect.stringMatching(reason) });
    expect((await readdir(base)).sort()).toEqual(['a.tgz', 'content']);
  });

  it('is refused for links that are longer together than a path may be', async () => {
    const from = await temporaryFolder();
    // Folders with long names, each with a short link to it: realpath gives up before it sees the way up.
    const names = 'abcdefghijklmnop'.split('');
    let at = from;
    for (const name of names) {
      await mkdir(join(at, name.repeat(230)));
      await symlink(name.repeat(230), join(at, name));
      at = join(at, name.repeat(230));
    }
    await symlink('../'.repeat(names.length), join(at, 'l'));
    await symlink(`${names.join('/')}/l/../evil`, join(from, 'm'));
    const archive = execFileSync('tar', ['-cz', '-C', from, '.']);
    const { run } = await setUp(archive);
    expect(await run()).toMatchObject({ outcome: 'refused', reason: "the link 'm' leads out of it" });
  });

  it('is refused when it holds nothing but headers that each speak for the next one', async () => {
    const header = handMadeTar({ path: 'x', type: 'GlobalExtendedHeader' }).subarray(0, 512);
    const { run } = await setUp(gzipSync(Buffer.alloc(2000 * 512, header)));
    expect(await run()).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('TAR_BAD_ARCHIVE'),
    });
  });

  it('tells no path of this machine', async () => {
    const { run, base } = await setUp(
      gzipSync(handMadeTar({ path: 'a' }, { path: `b/${'n'.repeat(90)}` }, { path: 'a/b' })),
    );
    const unpacked = await run();
    expect(unpacked).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('a') });
    expect(JSON.stringify(unpacked)).not.toContain(base);
  });

  it('is given up when it takes too much time of the processor', async () => {
    const { run } = await setUp(endless, { bytesMax: 4096 * MEBIBYTE });
    const unpacked = await run(undefined, 1);
    expect(unpacked).toEqual({
      outcome: 'refused',
      reason: 'unpacking it takes more than 1 s of processor time',
      counts: undefined,
    });
  });

  it('is left when somebody says so, and so is its process', async () => {
    const { run, processes } = await setUp(endless, { bytesMax: 4096 * MEBIBYTE });
    const controller = new AbortController();
    const running = run(controller.signal);
    await until(() => processes.groups.size > 0, { what: 'the child' });
    controller.abort(new Error('stopped'));
    await expect(running).rejects.toThrow('stopped');
    expect(processes.groups.size).toBe(0);
  });
});
