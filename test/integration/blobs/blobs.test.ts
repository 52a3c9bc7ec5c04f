import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDiskBlobs } from '../../../lib/embedded/blobs.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const signingKey = new Uint8Array(32).fill(7);

async function setUp() {
  const folder = await temporaryFolder();
  const time = { now: Date.now() };
  let port = 0;
  const baseUrl = () => `http://127.0.0.1:${port}`;
  const blobs = createDiskBlobs({ folder, baseUrl, signingKey, now: () => time.now });
  const server = createServer(async (request, response) => {
    if (!(await blobs.serve(request, response))) response.writeHead(418).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  // A server on a TCP port has an address of this type.
  port = (server.address() as AddressInfo).port;
  onTestFinished(() => new Promise<void>((closed) => server.close(() => closed())));
  return { blobs, folder, time, baseUrl };
}

const bytes = (text: string) => Readable.from([Buffer.from(text)]);

describe('objects', () => {
  it('stores a stream with its size and sha256, and replaces it whole', async () => {
    const { blobs } = await setUp();
    const content = Buffer.alloc(3_000_000, 'abc');
    const stored = await blobs.put(
      'artifacts/t/d/r.tar',
      Readable.from([content.subarray(0, 17), content.subarray(17)]),
    );
    expect(stored).toEqual({
      sizeBytes: 3_000_000,
      sha256: createHash('sha256').update(content).digest('hex'),
    });
    expect(await blobs.head('artifacts/t/d/r.tar')).toEqual({ sizeBytes: 3_000_000, versionId: undefined });
    await blobs.put('artifacts/t/d/r.tar', bytes('new'));
    expect((await blobs.read('artifacts/t/d/r.tar').toArray()).join('')).toBe('new');
  });

  it('keeps nothing of a stream that breaks, not even over an older object', async () => {
    const { blobs, folder } = await setUp();
    await blobs.put('a', bytes('old'));
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('half');
        throw new Error('cut off');
      })(),
    );
    await expect(blobs.put('a', broken)).rejects.toThrow('cut off');
    expect((await blobs.read('a').toArray()).join('')).toBe('old');
    expect(await readdir(join(folder, 'incoming'))).toEqual([]);
  });

  it('ends a write when its signal aborts', async () => {
    const { blobs, folder } = await setUp();
    const controller = new AbortController();
    const endless = new Readable({ read: () => undefined });
    const writing = blobs.put('a', endless, controller.signal);
    controller.abort(new Error('stop'));
    await expect(writing).rejects.toThrow();
    expect(await blobs.head('a')).toBeUndefined();
    expect(await readdir(join(folder, 'incoming'))).toEqual([]);
  });

  it('knows nothing of what is not there, and deletes twice without complaint', async () => {
    const { blobs } = await setUp();
    expect(await blobs.head('a/b')).toBeUndefined();
    await blobs.put('a/b', bytes('x'));
    // A folder on disk is no object.
    expect(await blobs.head('a')).toBeUndefined();
    await blobs.delete('a/b');
    await blobs.delete('a/b');
    expect(await blobs.head('a/b')).toBeUndefined();
  });

  it.each([
    '',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    'a/../b',
    'a/./b',
    'a\\b',
    'a b',
    'ä',
    `a${'x'.repeat(600)}`,
    'a\0',
  ])('refuses the key %j', async (key) => {
    const { blobs } = await setUp();
    await expect(async () => blobs.put(key, bytes('x'))).rejects.toThrow('not a valid key');
    await expect(blobs.downloadUrl(key, 60)).rejects.toThrow('not a valid key');
    await expect(blobs.head(key)).rejects.toThrow('not a valid key');
  });
});

describe('signed URLs', () => {
  it('hand out the object with its length', async () => {
    const { blobs } = await setUp();
    const { sizeBytes } = await blobs.put('a/b.tar', Readable.from([Buffer.alloc(1_000_000, 1)]));
    const answer = await fetch(await blobs.downloadUrl('a/b.tar', 60));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-length')).toBe(String(sizeBytes));
    expect((await answer.arrayBuffer()).byteLength).toBe(sizeBytes);
  });

  it('answer 403 after their time, 404 for what is gone', async () => {
    const { blobs, time } = await setUp();
    await blobs.put('a', bytes('x'));
    const url = await blobs.downloadUrl('a', 60);
    await blobs.delete('a');
    expect((await fetch(url)).status).toBe(404);
    time.now += 62_000;
    const late = await fetch(url);
    expect(late.status).toBe(403);
    expect(await late.json()).toEqual({ detail: 'This URL has expired.' });
  });

  it.each<[string, (url: string) => string]>([
    ['another key', (url) => url.replace('/blobs/a?', '/blobs/b?')],
    ['a later expiry', (url) => url.replace(/expires=(\d+)/, (_, at) => `expires=${Number(at) + 1}`)],
    [
      'another signature',
      (url) => url.replace(/signature=./, (text) => (text.endsWith('A') ? 'signature=B' : 'signature=A')),
    ],
    ['no signature', (url) => url.replace(/&signature=.*/, '')],
    ['a cut signature', (url) => url.slice(0, -1)],
    ['nothing', (url) => url.replace(/\?.*/, '')],
    ['an encoded way out', (url) => url.replace('/blobs/a?', '/blobs/..%2f..%2fetc%2fpasswd?')],
    ['an expiry in another form', (url) => url.replace(/expires=(\d+)/, 'expires=$1.0')],
  ])('answer 403 with %s', async (_, change) => {
    const { blobs } = await setUp();
    await blobs.put('a', bytes('x'));
    await blobs.put('b', bytes('y'));
    const url = await blobs.downloadUrl('a', 60);
    const answer = await fetch(change(url));
    expect(answer.status).toBe(403);
    expect(await answer.json()).toEqual({ detail: 'The signature of this URL is not valid.' });
  });

  it('allow GET only, and leave other paths alone', async () => {
    const { blobs, baseUrl } = await setUp();
    await blobs.put('a', bytes('x'));
    const refused = await fetch(await blobs.downloadUrl('a', 60), { method: 'PUT', body: 'z' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET']);
    expect((await fetch(`${baseUrl()}/ok`)).status).toBe(418);
    expect((await blobs.read('a').toArray()).join('')).toBe('x');
  });
});
