import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Traffic } from '../../../lib/compute/process/proxy/traffic.ts';
import type { MinuteCounts } from '../../../lib/contract/deployments/counts.ts';
import { LATENCY_BOUNDS_MS } from '../../../lib/contract/deployments/latency-bounds.ts';
import { bucketOf, countOf, percentile } from '../../../lib/domain/metrics/histogram.ts';
import { mergeAll } from '../../../lib/domain/metrics/merge.ts';
import { until } from '../../support/until.ts';
import { serve, startProxy } from './proxy-world.ts';

const REQUESTS = 10_000;
const AT_ONCE = 50;

/** A deployment `app` behind the proxy, whose requests are counted. */
async function counted(handler: RequestListener) {
  const { proxy, url, port } = await startProxy();
  const { target, server } = await serve(handler);
  const traffic = new Traffic();
  target.traffic = traffic;
  const route = proxy.route('app');
  route.moveTo(target);
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  onTestFinished(() => agent.destroy());
  const ask = (path: string, { method = 'GET', body = '' } = {}): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const asked = httpRequest(url(`/d/app${path}`), { method, agent }, resolve);
      asked.once('error', reject);
      asked.end(body);
    });
  return { route, server, traffic, ask, url, port };
}

async function read(answer: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const part of answer) bytes += part.length;
  return bytes;
}

/** All that was counted, once nothing is under way any more. */
async function over(traffic: Traffic): Promise<MinuteCounts> {
  const seen: MinuteCounts[] = [];
  await until(() => seen.push(traffic.take()) > 1 && traffic.isIdle, { what: 'all requests to end' });
  return mergeAll(seen, 'times') ?? {};
}

describe('requests through the proxy', () => {
  it('ten thousand are counted exactly, and their percentiles lie within a bucket', async () => {
    const statuses = [200, 200, 200, 201, 302, 404, 429, 500];
    const here: number[] = [];
    const { traffic, ask } = await counted(async (request, response) => {
      const number = Number(request.url?.slice(1));
      const began = performance.now();
      await delay(number % 100 === 0 ? 120 : number % 10 === 0 ? 30 : 0);
      here.push(performance.now() - began);
      response.writeHead(statuses[number % statuses.length] ?? 200).end('x'.repeat(number % 7));
    });
    const there: number[] = [];
    let bytes = 0;
    const numbers = Array.from({ length: REQUESTS }, (_, number) => number);
    const work = async () => {
      for (let number = numbers.pop(); number !== undefined; number = numbers.pop()) {
        const began = performance.now();
        const answer = await ask(`/${number}`);
        there.push(performance.now() - began);
        bytes += await read(answer);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const counts = traffic.take();
    const each = REQUESTS / statuses.length;
    expect(counts.requests).toEqual({
      all: REQUESTS,
      failed: each,
      '2xx': 4 * each,
      '3xx': each,
      '4xx': 2 * each,
      '5xx': each,
    });
    expect(counts.bytes_out).toBe(bytes);
    const latency = counts.latency ?? { counts: [], sum_ms: 0 };
    expect(countOf(latency)).toBe(REQUESTS);
    for (const part of [0.5, 0.95, 0.99]) {
      // What the proxy has measured lies between what server and client have, for each request and for all.
      const [least, most] = [here, there].map((times) => bucketOf(quantile(times, part)));
      const told = bucketOf(percentile(latency, part) ?? Number.NaN);
      expect(told).toBeGreaterThanOrEqual(least ?? Number.NaN);
      expect(told).toBeLessThanOrEqual(most ?? Number.NaN);
    }
    expect(LATENCY_BOUNDS_MS[bucketOf(percentile(latency, 0.995) ?? 0)]).toBeGreaterThan(100);
  });

  it('bodies are counted both ways, and nothing is counted twice', async () => {
    const { traffic, ask } = await counted((request, response) => request.pipe(response));
    const answer = await ask('/', { method: 'POST', body: 'a'.repeat(100_000) });
    expect(await read(answer)).toBe(100_000);
    expect(await over(traffic)).toMatchObject({
      requests: { all: 1, '2xx': 1 },
      bytes_in: 100_000,
      bytes_out: 100_000,
      in_flight: 1,
      streams: 0,
    });
  });

  it('an answer that the server breaks off has failed, one that the client leaves has not', async () => {
    const { traffic, ask } = await counted((request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('half', () => {
        if (request.url === '/broken') response.destroy();
      });
    });
    const broken = await ask('/broken');
    await expect(read(broken)).rejects.toThrow();
    expect((await over(traffic)).requests).toMatchObject({ all: 1, '2xx': 1, failed: 1 });
    const left = await ask('/left');
    left.destroy();
    const counts = await over(traffic);
    expect(counts.requests).toMatchObject({ all: 1, '2xx': 1, failed: 0 });
  });

  it('a client that leaves before there is an answer counts as one of its errors', async () => {
    const { traffic, port, server } = await counted(() => undefined);
    const client = connect(port, '127.0.0.1');
    client.write('GET /d/app/ HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(server, 'request');
    client.destroy();
    const counts = await over(traffic);
    expect(counts.requests).toMatchObject({ all: 1, '4xx': 1, '5xx': 0, failed: 0 });
    expect(counts.latency).toEqual({ counts: [], sum_ms: 0 });
  });

  it('a stream is open until it ends, and its latency is that of its head', async () => {
    const ends: (() => void)[] = [];
    const { traffic, ask } = await counted((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).flushHeaders();
      ends.push(() => response.end('data: 1\n\n'));
    });
    const streams = await Promise.all([ask('/'), ask('/')]);
    expect(traffic.take()).toMatchObject({ requests: { all: 2, '2xx': 2 }, streams: 2, in_flight: 2 });
    expect(traffic.take()).toMatchObject({ requests: { all: 0 }, streams: 2, in_flight: 2 });
    for (const end of ends) end();
    await Promise.all(streams.map(read));
    await until(() => traffic.take().in_flight === 0, { what: 'the streams to end' });
    expect(traffic.take()).toMatchObject({ requests: { all: 0 }, streams: 0, bytes_out: 0 });
  });

  it('a WebSocket is a stream, with its bytes', async () => {
    const { traffic, server, port } = await counted((_, response) => response.end());
    server.on('upgrade', (_, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
      socket.on('data', (part: Buffer) => socket.write(part));
      socket.on('end', () => socket.end());
    });
    const client = connect(port, '127.0.0.1');
    onTestFinished(() => void client.destroy());
    client.write(
      'GET /d/app/ HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    );
    let seen = '';
    client.on('data', (part: Buffer) => {
      seen += part.toString();
    });
    await until(() => seen.includes('101 Switching'), { what: 'the upgrade' });
    client.write('ping!');
    await until(() => seen.endsWith('ping!'), { what: 'the echo' });
    expect(traffic.take()).toMatchObject({
      requests: { all: 1, '1xx': 1 },
      streams: 1,
      bytes_in: 5,
      bytes_out: 5,
    });
    client.destroy();
    await until(() => traffic.take().streams === 0, { what: 'the stream to end' });
  });

  it('what no server answers counts as failed, of the revision that served last', async () => {
    const { traffic, ask, route, server } = await counted((_, response) => response.end());
    server.close();
    server.closeAllConnections();
    const answer = await ask('/', { method: 'POST', body: 'x' });
    expect(answer.statusCode).toBe(502);
    await read(answer);
    const refused = await over(traffic);
    expect(refused.requests).toMatchObject({ all: 1, '5xx': 1, failed: 1 });
    route.clear('it is being started');
    const held = ask('/');
    await until(() => !traffic.isIdle, { what: 'the request to be held' });
    route.close();
    expect((await held).statusCode).toBe(503);
    expect(await over(traffic)).toMatchObject({ requests: { '5xx': 1, failed: 1 } });
  });
});

/** The smallest of these times that this part of them do not exceed. */
function quantile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;
}
