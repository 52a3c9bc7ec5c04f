import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AddressRefused, createGuardedFetch } from '../../../lib/adapters/outbound/guarded-fetch.ts';

const atHome = { allowedHosts: [], loopback: true };
const strict = { allowedHosts: [], loopback: false };

/** A server of this machine, and what asked it. */
async function aServer(answer: RequestListener): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.headers.host}${request.url}`);
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // It listens on TCP, so its address is of this form.
  return { port: (server.address() as AddressInfo).port, asked };
}

/** A resolver that gives one answer after the other, the last again and again. */
function resolver(...answers: string[][]) {
  const hosts: string[] = [];
  const resolve = async (host: string) => {
    hosts.push(host);
    const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { resolve, hosts };
}

const refused = (host: string) =>
  new AddressRefused(`${host} has no public address, and this installation does not allow it`);

describe('a guarded request', () => {
  it('carries method, headers and body, and gives status, headers and body back', async () => {
    const { port, asked } = await aServer((request, response) => {
      response.setHeader('x-saw', String(request.headers['x-sent']));
      response.statusCode = 201;
      request.pipe(response);
    });
    const send = createGuardedFetch(atHome);
    const body = Buffer.from('hello');
    const init = { method: 'POST', headers: { 'x-sent': 'yes' }, body };
    const response = await send(`http://localhost:${port}/a?b=c`, init);
    expect([response.status, response.headers.get('x-saw'), await response.text()]).toEqual([
      201,
      'yes',
      'hello',
    ]);
    expect(asked).toEqual([`POST localhost:${port}/a?b=c`]);
  });

  it('goes nowhere but to public addresses, whatever name they have', async () => {
    for (const address of ['127.0.0.1', '169.254.169.254', '10.0.0.1', 'fd00::1', '::ffff:127.0.0.1']) {
      const send = createGuardedFetch(strict, { resolve: resolver([address]).resolve });
      await expect(send('https://innocent.example/')).rejects.toEqual(refused('innocent.example'));
    }
    const send = createGuardedFetch(strict);
    await expect(send('https://127.0.0.1:1/')).rejects.toEqual(refused('127.0.0.1'));
    await expect(send('https://[::ffff:7f00:1]:1/')).rejects.toThrow('has no public address');
    await expect(send('http://innocent.example/')).rejects.toThrow('http: is not spoken here, only https:');
    await expect(send('file:///etc/passwd')).rejects.toThrow('file: is not spoken here, only https:');
  });

  it('asks the resolver once and connects to what it judged: a second answer changes nothing', async () => {
    const { port, asked } = await aServer((_, response) => response.end('the first'));
    const { resolve, hosts } = resolver(['127.0.0.1'], ['127.0.0.9']);
    const send = createGuardedFetch(atHome, { resolve });
    expect(await (await send(`http://rebound.example:${port}/`)).text()).toBe('the first');
    expect(hosts).toEqual(['rebound.example']);
    expect(asked).toHaveLength(1);
  });

  it('judges each request anew: a name that was public a moment ago may not lead inside now', async () => {
    const { port, asked } = await aServer((_, response) => response.end());
    const { resolve } = resolver(['127.0.0.1'], ['192.168.0.7']);
    const send = createGuardedFetch(atHome, { resolve });
    await send(`http://rebound.example:${port}/`);
    await expect(send(`http://rebound.example:${port}/`)).rejects.toEqual(refused('rebound.example'));
    expect(asked).toHaveLength(1);
  });

  it('of several addresses uses those that it may', async () => {
    const { port } = await aServer((_, response) => response.end('reached'));
    const { resolve } = resolver(['10.0.0.1', '127.0.0.1', 'fd00::1']);
    const send = createGuardedFetch(atHome, { resolve });
    expect(await (await send(`http://mixed.example:${port}/`)).text()).toBe('reached');
  });

  it('to a host that the operator allows is sent to whatever that resolves to, over https alone', async () => {
    const { port, asked } = await aServer((_, response) => response.end());
    const rules = { allowedHosts: ['git.corp.example'], loopback: false };
    const send = createGuardedFetch(rules, { resolve: resolver(['127.0.0.1']).resolve });
    // The server speaks no TLS: that it is spoken to at all is the point.
    await expect(send(`https://git.corp.example:${port}/`)).rejects.not.toBeInstanceOf(AddressRefused);
    await expect(send(`http://git.corp.example:${port}/`)).rejects.toThrow('http: is not spoken here');
    expect(asked).toEqual([]);
  });

  it('follows no redirect', async () => {
    const { port, asked } = await aServer((_, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    );
    const response = await createGuardedFetch(atHome)(`http://127.0.0.1:${port}/`);
    expect([response.status, response.headers.get('location')]).toEqual([302, 'http://169.254.169.254/']);
    expect(asked).toHaveLength(1);
  });

  it('reads no endless answer', async () => {
    const { port } = await aServer((_, response) => {
      const more = (): void => void (response.destroyed || response.write('x'.repeat(1024), more));
      more();
    });
    const send = createGuardedFetch(atHome, { sizeBytesMax: 10_000 });
    const response = await send(`http://127.0.0.1:${port}/`);
    await expect(response.text()).rejects.toThrow('its answer is larger than 10000 bytes');
  });

  it('ends when its time is over, and when its caller ends it', async () => {
    const { port } = await aServer(() => {});
    const impatient = createGuardedFetch(atHome, { timeoutSeconds: 0.02 });
    await expect(impatient(`http://127.0.0.1:${port}/`)).rejects.toThrow('timeout');
    const ended = AbortSignal.abort(new Error('not wanted any more'));
    const send = createGuardedFetch(atHome);
    await expect(send(`http://127.0.0.1:${port}/`, { signal: ended })).rejects.toThrow('not wanted any more');
  });

  it('says what the resolver says', async () => {
    const send = createGuardedFetch(strict, {
      resolve: () => Promise.reject(new Error('getaddrinfo ENOTFOUND nowhere.example')),
    });
    await expect(send('https://nowhere.example/')).rejects.toThrow('getaddrinfo ENOTFOUND nowhere.example');
  });

  it('gives an answer without a body', async () => {
    const { port } = await aServer((_, response) => response.writeHead(204).end());
    const response = await createGuardedFetch(atHome)(`http://127.0.0.1:${port}/`);
    expect([response.status, await response.text()]).toEqual([204, '']);
  });
});
