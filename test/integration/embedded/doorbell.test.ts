import { once } from 'node:events';
import { connect } from 'node:net';
import { text as allOf } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { createEmbeddedSockets, embeddedDoorbell } from '../../../lib/embedded/gateway/sockets.ts';
import { RING_TEXT } from '../../../lib/features/listener-protocol/sockets.ts';
import { pause } from '../../../lib/listener/backoff.ts';
import { Doorbell } from '../../../lib/listener/doorbell.ts';
import { createLog } from '../../../lib/listener/log.ts';
import { gateway } from '../../support/http/gateway.ts';
import { until } from '../../support/until.ts';

const LISTENER = '0190a000-0000-7000-8000-000000000001';
type Asked = {
  requestContext: { eventType: string; connectionId: string };
  headers?: Record<string, string>;
  queryStringParameters?: Record<string, string>;
};

/** A gateway with sockets; the function behind them is the test's. */
async function aGateway(statusCode = 200) {
  const sockets = createEmbeddedSockets(() => undefined);
  const asked: Asked[] = [];
  const answer = { statusCode };
  sockets.onEvent(async (event) => {
    asked.push(event as Asked); // what the gateway makes
    return { ...answer };
  });
  const served = await gateway(undefined, { upgrade: sockets.upgrade });
  onTestFinished(() => sockets.end());
  const ids = () =>
    asked.flatMap(({ requestContext: { eventType, connectionId } }) =>
      eventType === 'CONNECT' ? [connectionId] : [],
    );
  return { ...served, sockets, asked, answer, ids };
}

/** The doorbell of a listener at this gateway; `rings` counts how often it was woken. */
function aDoorbell(url: string) {
  let rings = 0;
  const end = new AbortController();
  const doorbell = new Doorbell({
    base: `${url}/v2/listeners/${LISTENER}`,
    apiKey: 'the-key',
    log: createLog('error', () => undefined),
    pause: (_, signal) => pause(1, signal),
    onRing: () => {
      rings += 1;
    },
  });
  const running = doorbell.run(end.signal);
  const stop = () => {
    end.abort();
    return running;
  };
  onTestFinished(stop);
  const offer = (isRung = false) => ({ url: embeddedDoorbell.addressOf(LISTENER, 'run one'), rings: isRung });
  return { doorbell, offer, rings: () => rings, stop };
}

describe("a listener's doorbell", () => {
  it('opens a socket where a claim says, with its key, and wakes the listener then and at each ring', async () => {
    const { url, sockets, asked, ids } = await aGateway();
    const { doorbell, offer, rings } = aDoorbell(url);
    expect(doorbell.isOpen()).toBe(false);
    doorbell.learned(offer(), false);
    await until(() => doorbell.isOpen(), { what: 'an open socket' });
    expect(asked[0]).toMatchObject({
      headers: { 'x-api-key': 'the-key' },
      queryStringParameters: { listener_id: LISTENER, instance_id: 'run one' },
    });
    await until(() => rings() === 1, { what: 'a claim that says so' });
    const [connectionId = ''] = ids();
    // Whatever else is said there means nothing.
    for (const text of ['{"type":"task","secret":"x"}', 'ring', '[]'])
      expect(await sockets.send(connectionId, text)).toBe('sent');
    expect(await sockets.send(connectionId, RING_TEXT)).toBe('sent');
    await until(() => rings() === 2, { what: 'a ring' });
  });

  it('is opened anew when it closes, and when the control plane does not know it any more', async () => {
    const { url, sockets, asked, ids } = await aGateway();
    const { doorbell, offer } = aDoorbell(url);
    doorbell.learned(offer(), false);
    await until(() => doorbell.isOpen(), { what: 'an open socket' });
    await sockets.close(ids()[0] ?? '');
    await until(() => ids().length === 2 && doorbell.isOpen(), { what: 'a second socket' });
    doorbell.learned(offer(true), true);
    expect(doorbell.isOpen()).toBe(true);
    doorbell.learned(offer(false), true);
    await until(() => ids().length === 3 && doorbell.isOpen(), { what: 'a third socket' });
    const closed = () => asked.filter(({ requestContext }) => requestContext.eventType === 'DISCONNECT');
    await until(() => closed().length === 2, { what: 'word of those that have closed' });
    expect(closed().map(({ requestContext }) => requestContext.connectionId)).toEqual(ids().slice(0, 2));
  });

  it('is tried again while it is refused, and no more once the listener ends', async () => {
    const { url, ids, answer } = await aGateway(401);
    const { doorbell, offer, stop, rings } = aDoorbell(url);
    doorbell.learned(offer(), false);
    await until(() => ids().length >= 3, { what: 'three attempts' });
    expect([doorbell.isOpen(), rings()]).toEqual([false, 0]);
    answer.statusCode = 200;
    await until(() => doorbell.isOpen(), { what: 'an open socket' });
    await stop();
    expect(doorbell.isOpen()).toBe(false);
  });
});

describe('the gateway', () => {
  it('refuses sockets at other paths and for other hosts, and closes those that are open when it ends', async () => {
    const { url, port, sockets, close } = await aGateway();
    const at = async (path: string, headers: Record<string, string> = {}) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, { headers });
      const result = await new Promise((resolve) => {
        socket.on('open', () => resolve('open'));
        socket.on('unexpected-response', (_, { statusCode }) => resolve(statusCode));
        socket.on('error', () => resolve('error'));
      });
      return { socket, result };
    };
    const path = `/v2/listeners/${LISTENER}/doorbell?instance_id=one`;
    // There it is answered as if no socket had been asked for.
    expect((await at('/v2/listeners')).result).toBe(200);
    expect((await at(path, { host: `elsewhere.example:${port}` })).result).toBe(421);
    expect((await at(`/api-host${path}`)).result).toBe('open');
    const { socket, result } = await at(path);
    expect(result).toBe('open');
    const closed = once(socket, 'close');
    sockets.end();
    await closed;
    await close();
  });

  const path = `/v2/listeners/${LISTENER}/doorbell?instance_id=one`;
  const upgradeTo = (protocol: string, host: string, key = 'dGhlIHNhbXBsZSBub25jZQ==') =>
    [
      `GET ${path} HTTP/1.1`,
      `Host: ${host}`,
      'Connection: Upgrade',
      `Upgrade: ${protocol}`,
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${key}`,
      '\r\n',
    ].join('\r\n');

  it('answers a client that offers another protocol as if it had not', async () => {
    const { port, seen } = await aGateway();
    const client = connect(port, '127.0.0.1');
    client.end(upgradeTo('h2c', `localhost:${port}`));
    expect(await allOf(client)).toMatch(/^HTTP\/1\.1 200 /);
    expect(seen).toHaveLength(1);
  });

  it('outlives those who ask for a socket and are gone before the answer', async () => {
    const { port, asked } = await aGateway(401);
    // What nobody catches would fail this run.
    for (const host of [`localhost:${port}`, 'elsewhere.example'])
      for (let times = 0; times < 50; times += 1) {
        const client = connect(port, '127.0.0.1');
        await once(client, 'connect');
        await new Promise((resolve) => client.write(upgradeTo('websocket', host), resolve));
        client.resetAndDestroy();
        await once(client, 'close');
      }
    const client = connect(port, '127.0.0.1');
    client.end(upgradeTo('websocket', `localhost:${port}`));
    expect(await allOf(client)).toMatch(/^HTTP\/1\.1 401 /);
    expect(asked.at(-1)?.requestContext.eventType).toBe('CONNECT');
  });

  it('waits for nobody whom it has refused', async () => {
    const { port, close } = await aGateway(401);
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    client.write(upgradeTo('websocket', `localhost:${port}`));
    // The client never closes its side.
    expect(await allOf(client)).toMatch(/^HTTP\/1\.1 401 /);
    await close();
    client.destroy();
  });

  it('does not keep what never became a socket', async () => {
    const { port, asked, ids } = await aGateway();
    const client = connect(port, '127.0.0.1');
    client.end(upgradeTo('websocket', `localhost:${port}`, 'no key'));
    expect(await allOf(client)).toMatch(/^HTTP\/1\.1 400 /);
    await until(() => asked.length === 2, { what: 'word that it has closed' });
    expect(asked[1]?.requestContext).toMatchObject({ eventType: 'DISCONNECT', connectionId: ids()[0] });
  });
});
