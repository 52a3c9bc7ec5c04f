import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import * as tar from 'tar';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Download, fetchArtifact } from '../../../lib/compute/process/artifact.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { handMadeTar } from '../../support/files/hand-made-tar.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';

const signal = new AbortController().signal;

async function offer(tarball: Buffer, failures = 0): Promise<Download> {
  let left = failures;
  const server = createServer((request, response) => {
    if (request.headers['x-api-key'] !== 'key') response.writeHead(401).end();
    else if (left-- > 0) response.writeHead(503).end();
    else response.end(tarball);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return { url: '/file', baseUrl, apiKey: 'key', sha256: createHash('sha256').update(tarball).digest('hex') };
}

async function packed(fill: (content: string) => Promise<void>, names = ['.']): Promise<Buffer> {
  const folder = await temporaryFolder();
  const content = join(folder, 'content');
  await mkdir(content);
  await fill(content);
  const file = join(folder, 'a.tar');
  await tar.create({ file, cwd: content, preservePaths: true }, names);
  return readFile(file);
}

function processes(): ProcessSupervisor {
  const supervisor = new ProcessSupervisor();
  onTestFinished(() => supervisor.close());
  return supervisor;
}

describe('fetching an artifact', () => {
  it('unpacks it whole, also links that lead out, after a store that failed at first', async () => {
    const tarball = await packed(async (content) => {
      await mkdir(join(content, 'venv', 'bin'), { recursive: true });
      await writeFile(join(content, 'venv', 'bin', 'tool'), 'x', { mode: 0o755 });
      await symlink('/usr/bin/env', join(content, 'venv', 'bin', 'python'));
      await symlink('tool', join(content, 'venv', 'bin', 'other'));
    });
    const folder = join(await temporaryFolder(), 'revisions', 'one');
    await fetchArtifact(processes(), await offer(tarball, 2), folder, signal);
    expect((await readdir(join(folder, 'venv', 'bin'))).sort()).toEqual(['other', 'python', 'tool']);
    expect(await readlink(join(folder, 'venv', 'bin', 'python'))).toBe('/usr/bin/env');
    expect(await readlink(join(folder, 'venv', 'bin', 'other'))).toBe('tool');
    expect(await readdir(join(folder, '..'))).toEqual(['one']);
  });

  it('uses a folder that is already there', async () => {
    const folder = await temporaryFolder();
    const download = { url: '/x', baseUrl: 'http://127.0.0.1:1', apiKey: 'key', sha256: '' };
    expect(await fetchArtifact(processes(), download, folder, signal)).toEqual({
      downloadMilliseconds: 0,
      unpackMilliseconds: 0,
    });
  });

  it('refuses a path that leads out, and leaves nothing', async () => {
    const outside = await temporaryFolder();
    await writeFile(join(outside, 'evil'), 'x');
    const tarball = await packed(async () => undefined, [join(outside, 'evil')]);
    const folder = join(await temporaryFolder(), 'revisions', 'one');
    await expect(fetchArtifact(processes(), await offer(tarball), folder, signal)).rejects.toThrow(
      /leads out of it/,
    );
    expect(await readdir(join(folder, '..'))).toEqual([]);
  });

  it('writes nothing through a link that leads out', async () => {
    const outside = await temporaryFolder();
    const tarball = handMadeTar(
      { path: 'm', type: 'SymbolicLink', linkpath: outside },
      { path: 'm/made/l', type: 'SymbolicLink', linkpath: '/etc' },
    );
    const folder = join(await temporaryFolder(), 'revisions', 'one');
    await expect(fetchArtifact(processes(), await offer(tarball), folder, signal)).rejects.toThrow(
      /'m' is there twice/,
    );
    expect(await readdir(outside)).toEqual([]);
  });

  it.each([gzipSync, zstdCompressSync])('takes it compressed too', async (compress) => {
    const tarball = await packed(async (content) => writeFile(join(content, 'a'), 'x'));
    const folder = join(await temporaryFolder(), 'one');
    await fetchArtifact(processes(), await offer(compress(tarball)), folder, signal);
    expect(await readdir(folder)).toEqual(['a']);
  });

  it('refuses what is no tar file, and content that is not what was promised', async () => {
    const folder = join(await temporaryFolder(), 'one');
    await expect(
      fetchArtifact(processes(), await offer(Buffer.from('hello '.repeat(200))), folder, signal),
    ).rejects.toThrow(/could not be unpacked/);
    const promised = await offer(await packed(async (content) => writeFile(join(content, 'a'), 'x')));
    const other = { ...promised, sha256: '0'.repeat(64) };
    await expect(fetchArtifact(processes(), other, folder, signal)).rejects.toThrow(
      /SHA-256 is [0-9a-f]{64}, not 0{64}/,
    );
  });
});
