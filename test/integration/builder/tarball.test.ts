import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import * as tar from 'tar';
import { describe, expect, it } from 'vitest';
import { leaveOuterFolder } from '../../../lib/builds/tarball.ts';
import { handMadeTar } from '../../support/files/hand-made-tar.ts';
import { manyEntries } from '../../support/files/hostile-uploads.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { jobFor, messageOf, setUp, unpack } from './set-up.ts';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

const packed = async (cwd: string, paths: string[]): Promise<Buffer> =>
  Buffer.concat(await Readable.from(tar.create({ cwd, gzip: true }, paths)).toArray());

async function build(bytes: Buffer, digest = sha256(bytes)) {
  const { run, blobs, dataFolder } = await setUp();
  await blobs.put('pinned/a.tgz', Readable.from([bytes]));
  const source = { kind: 'tarball' as const, key: 'pinned/a.tgz', sha256: digest };
  return { blobs, dataFolder, ...(await run(jobFor('', { source, buildCommand: 'ls > list.txt' }))) };
}

/**
 * By its name alone each link stays inside; `m` leads above the folder, for `l` leads to the folder itself.
 */
const chainOfLinks = handMadeTar(
  { path: 'a/b/c/d/e/', type: 'Directory' },
  { path: 'a/b/c/d/e/l', type: 'SymbolicLink', linkpath: '../../../../..' },
  { path: 'm', type: 'SymbolicLink', linkpath: 'a/b/c/d/e/l/../evil' },
);

describe('a build of an uploaded tarball', () => {
  it('unpacks and builds it', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'src'));
    await writeFile(join(folder, 'src', 'a.txt'), 'hello');
    await writeFile(join(folder, 'Procfile'), 'web: true');
    const { state, blobs } = await build(await packed(folder, ['src/a.txt', 'Procfile']));
    if (state.state !== 'succeeded' || state.artifact.kind !== 'folder')
      throw new Error(JSON.stringify(state));
    expect(state.commitSha).toBeUndefined();
    const files = await unpack(blobs, state.artifact.key);
    expect([files.get('src/a.txt'), files.get('list.txt')]).toEqual(['hello', 'Procfile\nlist.txt\nsrc\n']);
  });

  it.each([
    ['an absolute path', gzipSync(handMadeTar({ path: '/tmp/x' })), /'\/tmp\/x' leads out of it/],
    ['a way up', gzipSync(handMadeTar({ path: 'a/../../evil' })), /leads out of it/],
    [
      'a link that leads out',
      gzipSync(handMadeTar({ path: 'l', type: 'SymbolicLink', linkpath: '../../x' })),
      /the link 'l' leads out/,
    ],
    [
      'an absolute link',
      gzipSync(handMadeTar({ path: 'l', type: 'SymbolicLink', linkpath: '/etc' })),
      /the link 'l' leads out/,
    ],
    [
      'a hard link that leads out',
      gzipSync(handMadeTar({ path: 'l', type: 'Link', linkpath: '../../x' })),
      /the link 'l' leads out/,
    ],
    ['links that lead out together', gzipSync(chainOfLinks), /the link 'm' leads out/],
    [
      'a device',
      gzipSync(handMadeTar({ path: 'd', type: 'CharacterDevice' })),
      /neither a file, a folder nor a link|cannot be unpacked/,
    ],
    ['no tar file', gzipSync(Buffer.from('x'.repeat(2_000))), /cannot be unpacked/],
    ['a plain tar file', handMadeTar({ path: 'a' }), /it is not gzip-compressed$/],
    ['an empty file', Buffer.alloc(0), /it is empty$/],
    [
      'a bomb',
      gzipSync(handMadeTar({ path: 'zeros', size: 2 * 1024 ** 3 })),
      /it unpacks to more than 1073741824 bytes$/,
    ],
    ['half a file', gzipSync(handMadeTar({ path: 'a' })).subarray(0, 40), /cannot be unpacked/],
  ])('refuses %s', async (_, bytes, reason) => {
    const { state, dataFolder } = await build(bytes);
    expect(messageOf(state)).toMatch(/^The source tarball cannot be unpacked: /);
    expect(messageOf(state)).toMatch(reason);
    expect(existsSync(join(dataFolder, 'work', 'evil'))).toBe(false);
  });

  it('takes a source out of the one folder that is around everything', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'app-1.2', 'app-1.2'), { recursive: true });
    await writeFile(join(folder, 'app-1.2', 'Procfile'), 'web: true');
    await writeFile(join(folder, 'app-1.2', 'app-1.2', 'a'), '');
    const { state, blobs, log } = await build(await packed(folder, ['app-1.2']));
    if (state.state !== 'succeeded' || state.artifact.kind !== 'folder')
      throw new Error(JSON.stringify(state));
    const files = await unpack(blobs, state.artifact.key);
    expect(files.get('list.txt')).toBe('Procfile\napp-1.2\nlist.txt\n');
    expect(log).toContain('Everything in the archive lies in the folder app-1.2, so paths begin there');
  });

  it('leaves a folder that paths name, and one that is no project', async () => {
    for (const wanted of [
      { configPath: 'apps/agent/langgraph.json' },
      { configPath: './apps/langgraph.json' },
      { configPath: 'langgraph.json', rootDirectory: './apps' },
      { configPath: '../apps/langgraph.json', rootDirectory: 'other' },
      { configPath: 'langgraph.json' },
    ]) {
      const folder = await temporaryFolder();
      await mkdir(join(folder, 'apps', 'agent'), { recursive: true });
      await writeFile(join(folder, 'apps', 'agent', 'langgraph.json'), '{}');
      await writeFile(join(folder, 'apps', 'agent', 'Procfile'), 'web: true');
      const said: string[] = [];
      // Only the last names no folder, and this one holds no project.
      const isProject = wanted.configPath !== 'langgraph.json' || wanted.rootDirectory !== undefined;
      if (isProject) await writeFile(join(folder, 'apps', 'Procfile'), 'web: true');
      await leaveOuterFolder(folder, wanted, (text) => said.push(text));
      expect([await readdir(folder), said]).toEqual([['apps'], []]);
    }
  });

  it('refuses pointers of Git LFS in the place of files', async () => {
    const folder = await temporaryFolder();
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'5'.repeat(64)}\nsize 7\n`;
    await writeFile(join(folder, '.gitattributes'), 'a.bin filter=lfs\n');
    await writeFile(join(folder, 'a.bin'), pointer);
    const { state } = await build(await packed(folder, ['.gitattributes', 'a.bin']));
    expect(messageOf(state)).toBe(
      "The uploaded source has pointers of Git LFS in the place of a.bin. Run 'git lfs pull' where it is packed, and upload it again",
    );
  });

  it('reads nothing behind the end of the archive', async () => {
    const { log, state } = await build(gzipSync(Buffer.alloc(16 * 1024 ** 2)));
    expect(messageOf(state)).toMatch(/it has no entries$/);
    expect(log).toContain('Read 0 entries of the tarball, 65536 bytes inflated');
  });

  it('reads no more entries than there may be', async () => {
    const { log, state } = await build(manyEntries());
    expect(messageOf(state)).toMatch(/it has more than 100000 entries$/);
    const [, bytes] = /Read 100001 entries of the tarball, (\d+) bytes inflated/.exec(log.join('\n')) ?? [];
    // A header each, and what is inflated at once.
    expect(Number(bytes)).toBeLessThanOrEqual(100_001 * 512 + 64 * 1024);
  });

  it('refuses another file than the one that was recorded', async () => {
    const { state } = await build(gzipSync(handMadeTar({ path: 'a' })), sha256(Buffer.from('other')));
    expect(messageOf(state)).toBe('The source tarball differs from the one that was uploaded');
  });
});
