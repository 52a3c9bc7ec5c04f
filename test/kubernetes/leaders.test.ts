import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { type RunningListener, World } from './world.ts';

const TIMEOUT_MS = 60_000;

let world: World;
let proxy: Awaited<ReturnType<typeof openProxy>>;
const listeners: RunningListener[] = [];

/** Stands between a listener and the API server. Holds back what moves traffic, and all that comes after it. */
async function openProxy(kubeconfig: string, folder: string) {
  const [text, cert, key] = await Promise.all([
    readFile(kubeconfig, 'utf8'),
    readFile(join(folder, 'server.crt')),
    readFile(join(folder, 'server.key')),
  ]);
  const [, server = ''] = /"?server"?: *"?([^\s",]+)/.exec(text) ?? [];
  const target = new URL(server);
  const holding = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<number>();
  let isHolding = false;
  const proxying = createServer({ cert, key }, async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const moves =
      incoming.method === 'PATCH' && /"selector":\{[^}]*"slipway\.dev\/set"/.test(body.toString());
    const isMove = moves && /\/services\/[^/?]+\?.*slipway-state/.test(incoming.url ?? '') && !isHolding;
    if (isMove) {
      isHolding = true;
      holding.resolve();
    }
    if (isHolding) await released.promise;
    const { method, url: path, headers } = incoming;
    const options = { host: target.hostname, port: target.port, method, path, headers, ca: cert };
    const passed = request(options, (response) => {
      if (isMove) answer.resolve(response.statusCode ?? 0);
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    passed.end(body);
  });
  proxying.listen(0, '127.0.0.1');
  await once(proxying, 'listening');
  const { port } = proxying.address() as AddressInfo;
  const own = join(folder, 'proxied-kubeconfig');
  await writeFile(own, text.replace(server, `https://127.0.0.1:${port}`));
  return {
    kubeconfig: own,
    holding: holding.promise,
    release: released.resolve,
    /** What the API server has answered to the move that was held back. */
    answer: answer.promise,
    close: () => (proxying.closeAllConnections(), proxying.close()),
  };
}

beforeAll(async () => {
  world = await World.open();
  proxy = await openProxy(world.cluster.kubeconfig, world.cluster.folder);
});

afterAll(async () => {
  for (const listener of listeners) await listener.stop();
  proxy?.close();
  await world.close();
});

const leads = (listener: RunningListener) => listener.output().includes('leading');

describe('two listeners', () => {
  it('never both move traffic: what the first one sent is refused when the second has taken over', async () => {
    const first = world.listen(proxy.kubeconfig);
    listeners.push(first);
    await until(() => leads(first), { timeoutMs: TIMEOUT_MS, what: 'the first listener to lead' });
    const second = world.listen();
    listeners.push(second);
    const made = await world.deploy('contended', 'example.test/agent:1');
    await proxy.holding;
    expect(leads(second)).toBe(false);
    await world.deployed(made);
    expect(leads(second)).toBe(true);
    proxy.release();
    expect(await proxy.answer).toBe(409);
    const { code } = await first.group.exited;
    expect(code).toBe(1);
    expect(await world.ended(made)).toMatchObject({ status: 'DEPLOYED' });
  });
});
