import { createHash } from 'node:crypto';
import { readdir, utimes } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDiskBlobs } from '../../../lib/embedded/blobs/disk.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { bytes } from '../../support/world/blobs.ts';

const UPLOAD_BYTES_MAX = 100_000;
const signingKey = new Uint8Array(32).fill(7);

async function setUp() {
  const folder = await temporaryFolder();
  const time = { now: Date.now() };
  let port = 0;
  const baseUrl = () => `http://127.0.0.1:${port}`;
  const blobs = createDiskBlobs({
    folder,
    baseUrl,
    signingKey,
    now: () => time.now,
    uploadBytesMax: UPLOAD_BYTES_MAX,
  });
  const server = createServer(async (request, response) => {
    if (!(await blobs.serve(request, response))) response.writeHead(418).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  // A server on a TCP port has an address of this type.
  port = (server.address() as AddressInfo).port;
  onTestFinished(() => new Promise<void>((closed) => server.close(() => closed())));
  return { blobs, folder, time, baseUrl };
}

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
    expect(await blobs.head('artifacts/t/d/r.tar')).toMatchObject({ sizeBytes: 3_000_000 });
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

  it('lists what lies below a key, and nothing beside it', async () => {
    const { blobs } = await setUp();
    for (const key of ['a/b/1', 'a/b/c/2', 'a/bc']) await blobs.put(key, bytes(key));
    const found = (await blobs.list('a/b')).sort((one, other) => one.key.localeCompare(other.key));
    expect(found).toEqual([
      { key: 'a/b/1', sizeBytes: 5 },
      { key: 'a/b/c/2', sizeBytes: 7 },
    ]);
    expect(await blobs.list('none')).toEqual([]);
  });

  it('deletes what lies below a key, and nothing beside it', async () => {
    const { blobs, folder } = await setUp();
    for (const key of ['a/b/1', 'a/b/c/2', 'a/bc']) await blobs.put(key, bytes('x'));
    await blobs.deleteBelow('a/b');
    await blobs.deleteBelow('a/b');
    const left = await readdir(folder, { recursive: true, withFileTypes: true });
    expect(left.filter((entry) => entry.isFile()).map((entry) => entry.name)).toEqual(['bc']);
    await expect(blobs.deleteBelow('../a')).rejects.toThrow('not a valid key');
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
    expect(await late.json()).toEqual({ detail: 'This URL has expired.', code: 'url_expired' });
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
    expect(await answer.json()).toEqual({
      detail: 'The signature of this URL is not valid.',
      code: 'signature_invalid',
    });
  });

  it('allow their own method only, and leave other paths alone', async () => {
    const { blobs, baseUrl } = await setUp();
    await blobs.put('a', bytes('x'));
    const url = await blobs.downloadUrl('a', 60);
    const refused = await fetch(url, { method: 'POST', body: 'z' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, PUT']);
    expect((await fetch(url, { method: 'PUT', body: 'z' })).status).toBe(403);
    expect((await fetch(await blobs.uploadUrl('a', 60))).status).toBe(403);
    expect((await fetch(`${baseUrl()}/ok`)).status).toBe(418);
    expect((await blobs.read('a').toArray()).join('')).toBe('x');
  });
});

describe('signed uploads', () => {
  it('store the body whole, whatever headers are sent beside it', async () => {
    const { blobs } = await setUp();
    const headers = { 'content-type': 'application/gzip', 'x-goog-content-length-range': '0,209715200' };
    const answer = await fetch(await blobs.uploadUrl('up', 60), { method: 'PUT', headers, body: 'hello' });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect((await blobs.read('up').toArray()).join('')).toBe('hello');
  });

  it('take what is just large enough, and not a byte more, announced or not', async () => {
    const { blobs, folder } = await setUp();
    const put = async (body: RequestInit['body']) =>
      fetch(await blobs.uploadUrl('up', 60), {
        method: 'PUT',
        body: body ?? null,
        duplex: 'half',
      });
    expect((await put(Buffer.alloc(UPLOAD_BYTES_MAX))).status).toBe(200);
    const announced = await put(Buffer.alloc(UPLOAD_BYTES_MAX + 1));
    expect([announced.status, await announced.json()]).toEqual([
      413,
      { detail: `The object is larger than ${UPLOAD_BYTES_MAX} bytes.`, code: 'object_too_large' },
    ]);
    const streamed = new ReadableStream({
      start(controller) {
        for (let n = 0; n < 11; n++) controller.enqueue(new Uint8Array(UPLOAD_BYTES_MAX / 10));
        controller.close();
      },
    });
    expect((await put(streamed)).status).toBe(413);
    expect(await blobs.head('up')).toMatchObject({ sizeBytes: UPLOAD_BYTES_MAX });
    expect(await readdir(join(folder, 'incoming'))).toEqual([]);
  });

  it('store nothing of one that breaks off, or comes too late', async () => {
    const { blobs, folder, time } = await setUp();
    const url = await blobs.uploadUrl('up', 60);
    const { port, pathname, search } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: 50000\r\n\r\nhalf`);
    const begun = async () => (await readdir(join(folder, 'incoming')).catch(() => [])).length === 1;
    await until(begun, { what: 'the upload to begin' });
    socket.destroy();
    await until(async () => !(await begun()), { what: 'the rest to be removed' });
    time.now += 62_000;
    expect((await fetch(url, { method: 'PUT', body: 'late' })).status).toBe(403);
    expect(await blobs.head('up')).toBeUndefined();
  });
});

describe('a pinned object', () => {
  const keptAs = (sha256: string) => `kept/${sha256}`;
  const first = createHash('sha256').update('first').digest('hex');

  it('stays under its own key when another one takes the key that it came from, and without that', async () => {
    const { blobs, folder } = await setUp();
    await blobs.put('a', bytes('first'));
    const before = await blobs.head('a');
    const pinned = await blobs.pin('a', keptAs, 100);
    expect(pinned).toEqual({ sizeBytes: 5, versionId: before?.versionId, sha256: first });
    expect(await blobs.pin('a', keptAs, 100)).toEqual(pinned);
    await blobs.put('a', bytes('second'));
    expect((await blobs.head('a'))?.versionId).not.toBe(before?.versionId);
    expect((await blobs.read(keptAs(first)).toArray()).join('')).toBe('first');
    expect((await blobs.read('a').toArray()).join('')).toBe('second');
    await blobs.delete('a');
    expect((await blobs.read(keptAs(first)).toArray()).join('')).toBe('first');
    expect(await readdir(join(folder, 'incoming'))).toEqual([]);
  });

  it('has to be there, and not too large', async () => {
    const { blobs, folder } = await setUp();
    await blobs.put('a', bytes('12345'));
    expect([await blobs.pin('b', keptAs, 100), await blobs.pin('a', keptAs, 4)]).toEqual([
      'absent',
      'too_large',
    ]);
    expect([await blobs.list('kept'), await readdir(join(folder, 'incoming'))]).toEqual([[], []]);
  });
});

describe('what nobody has named', () => {
  it('expires below its key, once it is older than it may be', async () => {
    const { blobs, time } = await setUp();
    for (const key of ['pending/t/d/1', 'pending/2', 'pinned/3']) await blobs.put(key, bytes(key));
    await blobs.expireBelow('pending', 60_000);
    expect(await blobs.list('pending')).toHaveLength(2);
    time.now = Date.now() + 61_000;
    await blobs.put('pending/new', bytes('new'));
    await utimes(blobs.fileOf('pending/new'), time.now / 1000, time.now / 1000);
    await blobs.expireBelow('pending', 60_000);
    expect((await blobs.list('pending')).map(({ key }) => key)).toEqual(['pending/new']);
    expect(await blobs.list('pinned')).toHaveLength(1);
  });
});
