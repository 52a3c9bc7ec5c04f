import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { openApiProxy, type Passing } from './proxy.ts';
import type { Cluster } from './start-cluster.ts';
import { type RunningListener, World } from './world.ts';

let world: World;
let proxy: Awaited<ReturnType<typeof openHoldingProxy>>;
const listeners: RunningListener[] = [];

/** Holds back what moves traffic, and all that comes after it from the same listener. */
async function openHoldingProxy(cluster: Cluster) {
  const holding = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<number>();
  let held: Passing | undefined;
  const opened = await openApiProxy(cluster, {
    before: async (passing) => {
      if (held === undefined && isMove(passing)) {
        held = passing;
        holding.resolve();
      }
      if (held !== undefined) await released.promise;
    },
    after: (passing, status) => {
      if (passing === held) answer.resolve(status);
    },
  });
  return {
    ...opened,
    holding: holding.promise,
    release: released.resolve,
    /** What the API server has answered to the move that was held back. */
    answer: answer.promise,
  };
}

const isMove = ({ method, path, body }: Passing): boolean =>
  method === 'PATCH' &&
  /\/services\/[^/?]+\?.*slipway-state/.test(path) &&
  /"selector":\{[^}]*"slipway\.dev\/set"/.test(body);

beforeAll(async () => {
  world = await World.open();
  proxy = await openHoldingProxy(world.cluster);
});

afterAll(async () => {
  for (const listener of listeners) await listener.stop();
  await proxy?.close();
  await world.close();
});

const leads = (listener: RunningListener) => listener.output().includes('leading');

describe('two listeners', () => {
  it('never both move traffic: what the first one sent is refused when the second has taken over', async () => {
    const first = world.listen(proxy.kubeconfig);
    listeners.push(first);
    await until(() => leads(first), { what: 'the first listener to lead' });
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
