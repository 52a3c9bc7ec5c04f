import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDiskBlobs } from '../../../lib/embedded/blobs/disk.ts';
import type { GatewayOptions } from '../../../lib/embedded/gateway/server.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { gateway } from '../../support/http/gateway.ts';
import { until } from '../../support/until.ts';
import { serve, startEcho, startProxy } from '../listener/proxy-world.ts';

/** In place of half a minute. */
const SILENCE = { bodySilenceMilliseconds: 200 };

/**
 * A connection that has sent the head of a request and these bytes of its body, and what came back so far.
 */
async function begin(port: number, path: string, head: string[], bytes: string, method = 'POST') {
  const socket: Socket = connect(port, '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  const answer = { text: '', ended: false };
  socket.on('data', (chunk) => (answer.text += String(chunk)));
  socket.once('close', () => (answer.ended = true));
  await once(socket, 'connect');
  socket.write([`${method} ${path} HTTP/1.1`, 'Host: localhost', ...head, '', bytes].join('\r\n'));
  return { socket, answer };
}

const ends = (answer: { ended: boolean }) =>
  until(() => answer.ended, { what: 'the connection to be ended' });

/** A port that takes bodies: `path` answers once it has a whole one. */
type Port = { what: string; path: string; open: () => Promise<{ port: number; taken: () => string[] }> };
const ports: Port[] = [
  {
    what: 'the API',
    path: '/v2/things',
    open: async () => {
      const { port, seen } = await gateway(undefined, SILENCE);
      return { port, taken: () => seen.map(({ event }) => event.body ?? '') };
    },
  },
  {
    what: 'the agents’ port',
    path: '/d/app/',
    open: async () => {
      const { port, seen } = await startEcho(SILENCE);
      return { port, taken: () => seen.map(({ body }) => body) };
    },
  },
];

describe.each(ports)('a body on $what', ({ path, open }) => {
  it.each([
    ['a length', ['Content-Length: 100'], 'begun'],
    ['chunks', ['Transfer-Encoding: chunked'], '5\r\nbegun\r\n'],
    ['no byte at all', ['Content-Length: 100'], ''],
  ])('that stops, with %s, is answered 408 and ended', async (_, head, bytes) => {
    const { port, taken } = await open();
    const { answer } = await begin(port, path, head, bytes);
    await ends(answer);
    expect(answer.text).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer.text).toMatch(/\{"detail":"The body of this request stopped before its end\./);
    expect(taken()).toEqual([]);
  });

  it('that is slow but steady is taken whole', async () => {
    const { port, taken } = await open();
    const text = 'x'.repeat(12);
    const { socket, answer } = await begin(port, path, [`Content-Length: ${text.length}`], '');
    // Three times the silence in all.
    for (const byte of text) {
      socket.write(byte);
      await delay(SILENCE.bodySilenceMilliseconds / 4);
    }
    await until(() => answer.text !== '', { what: 'the answer' });
    expect(answer.text).toMatch(/^HTTP\/1\.1 200 /);
    expect(taken()).toEqual([text]);
  });

  it('that came whole is not looked at while its answer takes its time', async () => {
    const { port, taken } = await open();
    const { socket, answer } = await begin(port, path, ['Content-Length: 2'], 'hi');
    await until(() => answer.text !== '', { what: 'the answer' });
    await delay(3 * SILENCE.bodySilenceMilliseconds);
    expect([answer.ended, taken()]).toEqual([false, ['hi']]);
    socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nho`);
    await until(() => taken().length === 2, { what: 'the second request of the connection' });
  });
});

describe('on the agents’ port', () => {
  it('a long stream is not touched', async () => {
    const { proxy, url } = await startProxy(SILENCE);
    let end = () => {};
    const { target } = await serve((incoming, response) => {
      incoming.resume();
      response.write('begin');
      end = () => response.end(' and end');
    });
    proxy.route('app').moveTo(target);
    const response = await fetch(url('/d/app/'), { method: 'POST', body: 'question' });
    await delay(3 * SILENCE.bodySilenceMilliseconds);
    end();
    expect(await response.text()).toBe('begin and end');
  });

  it('a body is cut off without an answer when one has begun', async () => {
    const { proxy, port } = await startProxy(SILENCE);
    const { target } = await serve((incoming, response) => void incoming.pipe(response));
    proxy.route('app').moveTo(target);
    const { answer } = await begin(port, '/d/app/', ['Content-Length: 100'], 'begun');
    await ends(answer);
    expect(answer.text).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer.text).not.toContain('408');
    await until(() => target.inFlight === 0, { what: 'it to be counted out' });
  });

  it('a server that reads slowly is no reason to end its client', async () => {
    const { proxy, url } = await startProxy(SILENCE);
    const sizeBytes = 24 * 1024 * 1024;
    const { target } = await serve(async (incoming, response) => {
      // Far longer than the silence, with all buffers on the way full.
      await delay(4 * SILENCE.bodySilenceMilliseconds);
      let got = 0;
      await pipeline(incoming, async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) got += chunk.length;
      });
      response.end(String(got));
    });
    proxy.route('app').moveTo(target);
    const response = await fetch(url('/d/app/'), { method: 'POST', body: Buffer.alloc(sizeBytes) });
    expect([response.status, await response.text()]).toEqual([200, String(sizeBytes)]);
  });
});

describe('on the API’s port', () => {
  it('an upload that stops is answered 408, and nothing of it is kept', async () => {
    const folder = await temporaryFolder();
    let baseUrl = '';
    const blobs = createDiskBlobs({
      folder,
      baseUrl: () => baseUrl,
      signingKey: new Uint8Array(32).fill(7),
      now: () => Date.now(),
      uploadBytesMax: 100_000,
    });
    const serveBlob: GatewayOptions['serveBlob'] = (request, response) => blobs.serve(request, response);
    const { port, url, errors } = await gateway(undefined, { ...SILENCE, serveBlob });
    baseUrl = url;
    const { pathname, search } = new URL(await blobs.uploadUrl('up', 60));
    const { answer } = await begin(port, `${pathname}${search}`, ['Content-Length: 50000'], 'half', 'PUT');
    await ends(answer);
    expect(answer.text).toMatch(/^HTTP\/1\.1 408 /);
    const kept = async () => (await readdir(join(folder, 'incoming'))).length;
    await until(async () => (await kept()) === 0, { what: 'the rest to be removed' });
    expect([await blobs.head('up'), errors]).toEqual([undefined, []]);
  });

  it('a refused request does not keep its connection by sending nothing', async () => {
    const { port } = await gateway(undefined, SILENCE);
    const { answer } = await begin(port, '/v2/things', ['Content-Length: 9000000'], 'begun');
    await until(() => answer.text !== '', { what: 'the refusal' });
    expect(answer.text).toMatch(/^HTTP\/1\.1 413 /);
    await ends(answer);
  });
});
