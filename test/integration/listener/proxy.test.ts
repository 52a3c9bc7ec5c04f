import { once } from 'node:events';
import { request, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { serve, startProxy } from './proxy-world.ts';

describe('the reverse proxy', () => {
  it('keeps a connection from one request to the next', async () => {
    const { proxy, url } = await startProxy();
    const { target, server } = await serve((_, response) => void response.end('fine'));
    let opened = 0;
    server.on('connection', () => {
      opened += 1;
    });
    proxy.route('app').moveTo(target);
    for (let asked = 0; asked < 12; asked += 1)
      expect(await (await fetch(url('/d/app/'))).text()).toBe('fine');
    expect(opened).toBe(1);
    expect(target.connections.free).toBe(1);
  });

  it('strips the prefix, says where the request came from, and drops what belongs to one connection', async () => {
    const { proxy, port } = await startProxy({ publicHosts: ['agents.example'] });
    const { target } = await serve((incoming, response) => {
      response.setHeader('Set-Cookie', ['a=1', 'b=2']);
      response.end(JSON.stringify({ url: incoming.url, headers: incoming.headers }));
    });
    proxy.route('app').moveTo(target);
    const outgoing = request({
      host: '127.0.0.1',
      port,
      path: '/d/app/x/y?q=1',
      headers: {
        host: 'agents.example',
        connection: 'close, x-secret-hop',
        'x-secret-hop': '1',
        te: 'trailers',
      },
    }).end();
    const [response] = await once(outgoing, 'response');
    let text = '';
    for await (const chunk of response) text += chunk;
    const seen = JSON.parse(text);
    expect(seen.url).toBe('/x/y?q=1');
    expect(seen.headers).toMatchObject({
      host: 'agents.example',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': 'agents.example',
      'x-forwarded-proto': 'http',
      'x-forwarded-prefix': '/d/app',
    });
    expect(seen.headers).not.toHaveProperty('x-secret-hop');
    expect(seen.headers).not.toHaveProperty('te');
    expect(response.headers['set-cookie']).toEqual(['a=1', 'b=2']);
  });

  it('streams large bodies both ways', async () => {
    const { proxy, url } = await startProxy();
    const { target } = await serve((incoming, response) => void incoming.pipe(response));
    proxy.route('app').moveTo(target);
    const body = Buffer.alloc(20 * 1024 * 1024, 'slipway ');
    const response = await fetch(url('/d/app/echo'), { method: 'POST', body });
    expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
  });

  it('gives the head and each chunk of a stream at once', async () => {
    const { proxy, url } = await startProxy();
    let send: (text: string) => unknown = () => undefined;
    const { target } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      send = (text) => response.write(text);
    });
    proxy.route('app').moveTo(target);
    const response = await fetch(url('/d/app/events'));
    const reader = response.body?.getReader();
    for (const text of ['data: 1\n\n', 'data: 2\n\n']) {
      send(text);
      const { value } = (await reader?.read()) ?? {};
      expect(Buffer.from(value ?? []).toString()).toBe(text);
    }
    await reader?.cancel();
  });

  it('ends the request behind when the client goes away, and counts it out', async () => {
    const { proxy, url } = await startProxy();
    let closed = false;
    const { target } = await serve((incoming, response) => {
      incoming.once('close', () => {
        closed = true;
      });
      response.write('begin');
    });
    proxy.route('app').moveTo(target);
    const abort = new AbortController();
    await fetch(url('/d/app/slow'), { signal: abort.signal });
    expect(target.inFlight).toBe(1);
    abort.abort();
    await until(() => closed && target.inFlight === 0, { what: 'the request behind to end' });
    expect(await target.drained(0)).toBe(true);
  });

  it('cuts the client off when the server dies in the middle of an answer', async () => {
    const { proxy, url } = await startProxy();
    const { target } = await serve((_, response) => {
      response.write('half');
      setTimeout(() => response.destroy(), 50);
    });
    proxy.route('app').moveTo(target);
    const response = await fetch(url('/d/app/'));
    await expect(response.text()).rejects.toThrow();
    await until(() => target.inFlight === 0, { what: 'it to be counted out' });
  });

  it('tries a refused request, with its body, on what serves next', async () => {
    const { proxy, url } = await startProxy();
    const gone = await serve(() => undefined);
    gone.server.close();
    await once(gone.server, 'close');
    const route = proxy.route('app');
    route.moveTo(gone.target);
    const answered = fetch(url('/d/app/echo'), { method: 'POST', body: 'hello' });
    const { target } = await serve((incoming, response) => void incoming.pipe(response));
    route.moveTo(target);
    expect(await (await answered).text()).toBe('hello');
  });

  it('does not repeat what may have had an effect', async () => {
    const { proxy, url } = await startProxy();
    let seen = 0;
    const { target } = await serve((incoming) => {
      seen += 1;
      incoming.socket.destroy();
    });
    proxy.route('app').moveTo(target);
    const response = await fetch(url('/d/app/'), { method: 'POST', body: 'pay' });
    expect(response.status).toBe(502);
    expect(seen).toBe(1);
  });

  it.each(['GET', 'DELETE'])(
    'repeats a %s that finds only connections that the server closes',
    async (method) => {
      const { proxy, url } = await startProxy();
      const used = new Set<Socket>();
      const waiting: ServerResponse[] = [];
      const { target } = await serve((incoming, response) => {
        if (used.has(incoming.socket)) return void incoming.socket.destroy();
        used.add(incoming.socket);
        if (incoming.url !== '/first') return void response.end('fine');
        // All at once, so that each has a connection of its own, which is kept then.
        if (waiting.push(response) === 5) for (const each of waiting) each.end();
      });
      proxy.route('app').moveTo(target);
      await Promise.all(Array.from({ length: 5 }, () => fetch(url('/d/app/first'))));
      expect(target.connections.free).toBe(5);
      expect(await (await fetch(url('/d/app/'), { method })).text()).toBe('fine');
      expect([used.size, target.connections.free]).toEqual([6, 4]);
    },
  );

  it('sends what may be what crashes the server three times', async () => {
    const { proxy, url } = await startProxy();
    let seen = 0;
    const { target } = await serve(({ socket }) => {
      seen += 1;
      socket.destroy();
    });
    proxy.route('app').moveTo(target);
    expect((await fetch(url('/d/app/'))).status).toBe(502);
    expect(seen).toBe(3);
  });

  it('holds a request on where a server comes and is gone at once', async () => {
    const { proxy, url } = await startProxy();
    const route = proxy.route('app');
    let arrived = false;
    proxy.server.once('request', () => {
      arrived = true;
    });
    const answered = fetch(url('/d/app/'));
    await until(() => arrived, { what: 'the request' });
    const { target } = await serve((_, response) => void response.end('here'));
    route.moveTo(target);
    route.clear('it has ended');
    // As soon as whoever was woken has looked.
    await new Promise((resolve) => setImmediate(resolve));
    route.moveTo(target);
    expect(await (await answered).text()).toBe('here');
  });

  it('holds a request until there is a server, and ends it when the deployment goes', async () => {
    const { proxy, url } = await startProxy();
    const route = proxy.route('app');
    const answered = fetch(url('/d/app/'));
    const { target } = await serve((_, response) => void response.end('here'));
    route.moveTo(target);
    expect(await (await answered).text()).toBe('here');

    route.clear('it is being moved');
    const refused = fetch(url('/d/app/'));
    const poll = setInterval(() => route.close(), 50);
    const response = await refused;
    clearInterval(poll);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('2');
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining('has no running server') });
  });
});
