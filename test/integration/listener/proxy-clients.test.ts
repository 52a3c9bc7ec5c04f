import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Proxy } from '../../../lib/compute/process/proxy/proxy.ts';
import { ProxyTarget } from '../../../lib/compute/process/proxy/target.ts';
import { Traffic } from '../../../lib/compute/process/proxy/traffic.ts';
import { until } from '../../support/until.ts';
import { serve, startProxy } from './proxy-world.ts';

const asking = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers, '\r\n'].join('\r\n');
const WEB_SOCKET = ['Connection: Upgrade', 'Upgrade: websocket'];

/** Sends these bytes, and is gone before there is an answer to them. */
async function leaves(port: number, bytes: string): Promise<void> {
  const client = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(client, 'connect');
  await new Promise((resolve) => client.write(bytes, resolve));
  client.resetAndDestroy();
}

/** A server that answers these bytes to whatever it is asked, and closes. */
async function answering(answer: string): Promise<ProxyTarget> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return new ProxyTarget({ host: '127.0.0.1', port: typeof address === 'object' ? (address?.port ?? 0) : 0 });
}

// What nobody catches would end the process of the proxy, with all requests; here it fails the run.
describe('the proxy outlives a client that', () => {
  it('asks for what is refused, and is gone', async () => {
    const { port } = await startProxy();
    for (let times = 0; times < 50; times += 1) await leaves(port, asking('/d/none/', ...WEB_SOCKET));
    const client = connect(port, '127.0.0.1');
    client.end(asking('/d/none/', ...WEB_SOCKET));
    expect(await text(client)).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('is gone before the proxy knows all routes, and counts nothing of it', async () => {
    const proxy = new Proxy({ port: 0, pathPrefix: '/d' });
    const port = await proxy.listen();
    onTestFinished(() => proxy.close());
    const { target } = await serve((_, response) => response.end('here'));
    target.traffic = new Traffic();
    proxy.route('app').moveTo(target);
    let gone = 0;
    proxy.server.on('connection', (socket) => socket.once('close', () => (gone += 1)));
    for (let times = 0; times < 10; times += 1) {
      await leaves(port, asking('/d/app/', ...WEB_SOCKET));
      await leaves(port, asking('/d/app/'));
    }
    await until(() => gone === 20, { what: 'all of them to be gone' });
    proxy.open();
    expect(await (await fetch(`http://127.0.0.1:${port}/d/app/`)).text()).toBe('here');
    await until(() => target.traffic?.take().in_flight === 0, { what: 'nothing to be under way' });
    expect(target.inFlight).toBe(0);
  });

  it('is refused for a silent body behind an answer that is not over, whatever the server says then', async () => {
    const { proxy, port } = await startProxy({ bodySilenceMilliseconds: 200 });
    let refused: ServerResponse | undefined;
    proxy.server.on('request', ({ method }: IncomingMessage, response: ServerResponse) => {
      if (method === 'POST') refused = response;
    });
    let isAnswered = false;
    const { target } = await serve(async ({ method }, response) => {
      if (method === 'GET') return void response.writeHead(200).write('on and on');
      response.once('close', () => {
        isAnswered = true;
      });
      await until(() => refused?.headersSent === true, { what: 'a refusal' });
      return response.end('late');
    });
    proxy.route('app').moveTo(target);
    const client = connect(port, '127.0.0.1').on('error', () => undefined);
    onTestFinished(() => void client.destroy());
    client
      .resume()
      .write(
        `${asking('/d/app/stream')}POST /d/app/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc`,
      );
    await until(() => isAnswered, { what: 'the late answer' });
    client.destroy();
    await until(() => target.inFlight === 0, { what: 'nothing to be under way' });
  });
});

it('a WebSocket that is answered otherwise ends where that answer breaks off', async () => {
  const { proxy, port } = await startProxy();
  const target = await answering('HTTP/1.1 403 Forbidden\r\nContent-Length: 100\r\n\r\nhalf');
  proxy.route('app').moveTo(target);
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void client.destroy());
  client.write(asking('/d/app/', ...WEB_SOCKET));
  // Its end, which a break may come before.
  await text(client).catch(() => '');
  expect(await target.drained(600_000)).toBe(true);
});
