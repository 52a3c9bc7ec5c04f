import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ownAddress } from '../../../lib/compute/process/proxy/own-address.ts';
import { ProxyTarget } from '../../../lib/compute/process/proxy/target.ts';
import { sendLines } from '../../support/http/raw-request.ts';
import { serve, startEcho, startProxy } from './proxy-world.ts';

const statusOf = (answer: string): string => answer.slice(9, 12);

describe('hosts of the agents’ port', () => {
  it.each(['localhost', 'LocalHost:4401', 'app.localhost', '127.3.2.1:80', '[::1]', 'agents.example:8443'])(
    'answers for %s',
    async (host) => {
      const { port, seen } = await startEcho({ publicHosts: ['agents.example'] });
      const answer = await sendLines(port, ['GET /d/app/ HTTP/1.1', `Host: ${host}`, '', '']);
      expect([statusOf(answer), seen[0]?.headers.host]).toEqual(['200', [host]]);
    },
  );

  it.each([
    [
      'a page whose name was moved to this machine',
      ['Host: evil.example:4401'],
      '421',
      /'evil\.example'.*SLIPWAY_PUBLIC_HOSTS/,
    ],
    [
      'a name that begins like a loopback one',
      ['Host: 127.0.0.1.evil.example'],
      '421',
      /127\.0\.0\.1\.evil\.example/,
    ],
    ['two hosts', ['Host: localhost', 'Host: evil.example'], '400', /'localhost', 'evil\.example'/],
    ['the same host twice', ['Host: localhost', 'Host: localhost'], '400', /one host/],
    ['two hosts in one', ['Host: localhost, evil.example'], '400', /one host/],
    ['an empty host', ['Host:'], '400', /one host/],
  ])('refuses %s', async (_, headers, status, said) => {
    const { port, seen } = await startEcho();
    const answer = await sendLines(port, ['GET /d/app/ HTTP/1.1', ...headers, '', '']);
    expect(statusOf(answer)).toBe(status);
    expect(answer).toMatch(said);
    expect(seen).toEqual([]);
  });

  it('refuses a request of HTTP/1.0 that names no host', async () => {
    const { port, seen } = await startEcho();
    expect(statusOf(await sendLines(port, ['GET /d/app/ HTTP/1.0', '', '']))).toBe('400');
    expect(seen).toEqual([]);
  });

  it('refuses an upgrade for another host', async () => {
    const { port } = await startEcho();
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', '', ''];
    const answer = await sendLines(port, ['GET /d/app/ HTTP/1.1', 'Host: evil.example', ...upgrade]);
    expect(statusOf(answer)).toBe('421');
  });

  it('takes the path of an absolute target, whose host must be the same', async () => {
    const { port, seen } = await startEcho();
    const ask = (target: string, host: string) =>
      sendLines(port, [`GET ${target} HTTP/1.1`, `Host: ${host}`, '', '']);
    expect(statusOf(await ask('http://localhost:4401/d/app/x?y', 'LOCALHOST'))).toBe('200');
    expect(statusOf(await ask('http://evil.example/d/app/x', 'localhost'))).toBe('400');
    expect(statusOf(await ask('http://evil.example/d/app/x', 'evil.example'))).toBe('421');
    expect(seen.map(({ url }) => url)).toEqual(['/x?y']);
  });

  it('takes the host of a deployment’s own address for that deployment alone, at whatever path', async () => {
    const { proxy, port, seen } = await startEcho();
    proxy.route('app').setAddress(ownAddress('https://agent.example'));
    proxy.route('other').clear('it is not there');
    const ask = async (path: string, host: string) =>
      statusOf(await sendLines(port, [`GET ${path} HTTP/1.1`, `Host: ${host}`, '', '']));
    for (const path of ['/', '/runs?x', '/d/app/ok', '/d/app', '/d/other/'])
      expect(await ask(path, 'Agent.example:4401')).toBe('200');
    expect(seen.map(({ url }) => url)).toEqual(['/', '/runs?x', '/ok', '/', '/d/other/']);
    expect(await ask('/', 'other.example')).toBe('421');
    expect(await ask('/', 'localhost')).toBe('404');
    expect(await ask('/d/app/', 'localhost')).toBe('200');
  });

  it.each([
    ['http://mine.localhost:4401', '/ok', '/ok', undefined],
    ['https://agent.example:8443/team/', '/team/ok', '/ok', '/team'],
    ['https://agent.example/team', '/team', '/', '/team'],
    ['https://agent.example/team', '/ok', '/ok', '/team'],
    ['agent.example', '/d/app/ok', '/ok', undefined],
  ])('serves %s at %s', async (address, path, behind, prefix) => {
    const { proxy, port, seen } = await startEcho();
    proxy.route('app').setAddress(ownAddress(address));
    const host = URL.parse(address)?.host ?? address;
    const answer = await sendLines(port, [`GET ${path} HTTP/1.1`, `Host: ${host}`, '', '']);
    expect(statusOf(answer)).toBe('200');
    expect(seen[0]?.url).toBe(behind);
    expect(seen[0]?.headers['x-forwarded-prefix']?.[0]).toBe(prefix);
  });

  it('serves a deployment at its name in localhost, also by its path, unless another has claimed that', async () => {
    const { proxy, port, seen } = await startEcho();
    const ask = async (path: string, host: string) =>
      statusOf(await sendLines(port, [`GET ${path} HTTP/1.1`, `Host: ${host}`, '', '']));
    for (const path of ['/', '/ok?x', '/d/app/ok', '/d/app', '/d/other/'])
      expect(await ask(path, 'App.localhost:4401')).toBe('200');
    expect(seen.map(({ url }) => url)).toEqual(['/', '/ok?x', '/ok', '/', '/d/other/']);
    expect(seen[0]?.headers['x-forwarded-prefix']).toBeUndefined();
    expect([await ask('/', 'nobody.localhost'), await ask('/', 'x.app.localhost')]).toEqual(['404', '404']);
    proxy.route('other').setAddress(ownAddress('http://app.localhost'));
    proxy.route('other').moveTo((await serve((_, response) => response.writeHead(418).end())).target);
    expect(await ask('/', 'app.localhost')).toBe('418');
  });

  it('passes on there what a client asks of the server as a whole', async () => {
    const { port, seen } = await startEcho();
    const answer = await sendLines(port, ['OPTIONS * HTTP/1.1', 'Host: app.localhost', '', '']);
    expect([statusOf(answer), seen.map(({ url }) => url)]).toEqual(['200', ['*']]);
  });

  it.each(['http://localhost:4401/d/other', 'http://127.0.0.1', 'https://agents.example/team'])(
    'leaves %s to all deployments, by their paths',
    async (address) => {
      const { proxy, port, seen } = await startEcho({ publicHosts: ['agents.example'] });
      proxy.route('other').setAddress(ownAddress(address));
      const { host } = new URL(address);
      const ask = async (path: string) =>
        statusOf(await sendLines(port, [`GET ${path} HTTP/1.1`, `Host: ${host}`, '', '']));
      expect([await ask('/d/app/ok'), await ask('/')]).toEqual(['200', '404']);
      expect(seen.map(({ url }) => url)).toEqual(['/ok']);
    },
  );
});

describe('what a request says of its way', () => {
  const claims = [
    'X-Forwarded-For: 6.6.6.6',
    'X-Forwarded-Host: evil.example',
    'X-Forwarded-Proto: https',
    'X-Forwarded-Prefix: /evil',
    'X-Forwarded-Port: 443',
    'X-Forwarded-User: root',
    'Forwarded: for=6.6.6.6',
    'X-Real-IP: 6.6.6.6',
    'X-Original-URL: /admin',
    'X_Forwarded_For: 6.6.6.6',
    'X_Real-IP: 6.6.6.6',
  ];
  const ask = async (trustProxy: boolean) => {
    const { port, seen } = await startEcho({ trustProxy });
    await sendLines(port, ['GET /d/app/ HTTP/1.1', 'Host: localhost', ...claims, '', '']);
    return seen[0]?.headers ?? {};
  };

  it('counts nothing when no proxy is trusted', async () => {
    const { connection: _, ...headers } = await ask(false);
    expect(headers).toEqual({
      host: ['localhost'],
      'x-forwarded-for': ['127.0.0.1'],
      'x-forwarded-host': ['localhost'],
      'x-forwarded-proto': ['http'],
      'x-forwarded-prefix': ['/d/app'],
    });
  });

  it('is passed on, and gone on with, when one is', async () => {
    expect(await ask(true)).toMatchObject({
      'x-forwarded-for': ['6.6.6.6, 127.0.0.1'],
      'x-forwarded-host': ['evil.example'],
      'x-forwarded-proto': ['https'],
      'x-forwarded-prefix': ['/evil/d/app'],
      forwarded: ['for=6.6.6.6'],
      'x-real-ip': ['6.6.6.6'],
    });
  });
});

describe('the frame of a request', () => {
  it('stays whatever Connection names', async () => {
    const { port, seen } = await startEcho();
    const named = 'Connection: close, Content-Length, Host, X-Forwarded-For, Transfer-Encoding, X-Own';
    const hidden = 'GET /d/app/hidden HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const head = [
      'GET /d/app/ HTTP/1.1',
      'Host: localhost',
      named,
      'X-Own: 1',
      `Content-Length: ${hidden.length}`,
    ];
    await sendLines(port, [...head, '', hidden]);
    expect(seen).toHaveLength(1);
    expect(seen[0]?.body).toBe(hidden);
    expect(seen[0]?.headers).toMatchObject({
      host: ['localhost'],
      'content-length': [String(hidden.length)],
      'x-forwarded-for': ['127.0.0.1'],
    });
    expect(seen[0]?.headers).not.toHaveProperty('x-own');
  });

  it('stays when a chunked body is named away', async () => {
    const { port, seen } = await startEcho();
    const head = [
      'POST /d/app/ HTTP/1.1',
      'Host: localhost',
      'Connection: transfer-encoding',
      'Transfer-Encoding: chunked',
    ];
    await sendLines(port, [...head, '', '5', 'hello', '0', '', '']);
    expect(seen.map(({ body }) => body)).toEqual(['hello']);
  });

  it.each([
    ['a length beside chunks', ['Content-Length: 3', 'Transfer-Encoding: chunked'], '400'],
    ['two lengths', ['Content-Length: 3', 'Content-Length: 4'], '400'],
    ['a transfer coding that the server behind would not see', ['Transfer-Encoding: gzip, chunked'], '501'],
    ['a coding that does not end', ['Transfer-Encoding: gzip'], '501'],
  ])('is refused with %s', async (_, headers, status) => {
    const { port, seen } = await startEcho();
    const lines = ['POST /d/app/ HTTP/1.1', 'Host: localhost', ...headers, '', '0', '', ''];
    expect(statusOf(await sendLines(port, lines))).toBe(status);
    expect(seen).toEqual([]);
  });

  it('has one name: what reads like a header that is not passed on is not passed on either', async () => {
    const { port, seen } = await startEcho();
    const disguised = ['Transfer_Encoding: chunked', 'Content_Length: 9', 'X_Own: 1'];
    await sendLines(port, ['GET /d/app/ HTTP/1.1', 'Host: localhost', ...disguised, '', '']);
    expect(Object.keys(seen[0]?.headers ?? {}).filter((name) => name.includes('_'))).toEqual(['x_own']);
  });
});

describe('an upgrade', () => {
  it('to anything but a WebSocket is left out of its request', async () => {
    const { port, seen } = await startEcho();
    const head = ['GET /d/app/ HTTP/1.1', 'Host: localhost', 'HTTP2-Settings: AAMAAABk', 'Upgrade: h2c'];
    const answer = await sendLines(port, [...head, 'Connection: Upgrade, HTTP2-Settings', '', '']);
    expect(statusOf(answer)).toBe('200');
    expect(seen[0]?.headers).not.toHaveProperty('upgrade');
    expect(seen[0]?.headers).not.toHaveProperty('http2-settings');
  });

  it('with a body is left out as well', async () => {
    const { port, seen } = await startEcho();
    const head = ['GET /d/app/ HTTP/1.1', 'Host: localhost', 'Upgrade: websocket', 'Connection: Upgrade'];
    expect(statusOf(await sendLines(port, [...head, 'Content-Length: 2', '', 'hi']))).toBe('200');
    expect(seen.map(({ body, headers }) => [body, headers.upgrade])).toEqual([['hi', undefined]]);
  });
});

describe('a server that sends what is no answer', () => {
  /** A proxy before a server that answers everything with these bytes. */
  async function before(bytes: string) {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(Buffer.from(bytes, 'latin1')));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const where = {
      host: '127.0.0.1',
      port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    } as const;
    const { proxy, port } = await startProxy();
    const target = new ProxyTarget(where);
    onTestFinished(() => target.connections.closeFree());
    proxy.route('app').moveTo(target);
    return { port, target };
  }

  const WEB_SOCKET = ['Connection: Upgrade', 'Upgrade: websocket'];
  const CHANGED = 'HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
  it.each([
    ['a status below all others', 'HTTP/1.1 099 X\r\n\r\n', [], '502'],
    ['the same for an upgrade', 'HTTP/1.1 099 X\r\n\r\n', WEB_SOCKET, '502'],
    ['an upgrade that was not asked for', CHANGED, [], '502'],
    ['a 100 before its answer', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhi', [], '200'],
    [
      'a control character in the status line',
      'HTTP/1.1 200 O\x01K\r\nContent-Length: 2\r\n\r\nhi',
      [],
      '200',
    ],
    ['the same for an upgrade', 'HTTP/1.1 200 O\x01K\r\nContent-Length: 2\r\n\r\nhi', WEB_SOCKET, '200'],
  ])('(%s) does not end the listener', async (_, bytes, headers, status) => {
    const { port, target } = await before(bytes);
    const answer = await sendLines(port, ['GET /d/app/ HTTP/1.1', 'Host: localhost', ...headers, '', '']);
    expect(statusOf(answer)).toBe(status);
    expect(answer).not.toContain('\x01');
    expect(await target.drained(5_000)).toBe(true);
  });
});
