import { createServer } from 'node:http';
import { KubeConfig } from '@kubernetes/client-node';
import { expect, it, onTestFinished } from 'vitest';
import { ApiServer } from '../../../../lib/compute/kubernetes/api-server.ts';
import { Leadership } from '../../../../lib/compute/kubernetes/leadership.ts';
import { ObjectStore } from '../../../../lib/compute/kubernetes/store.ts';
import { Watching } from '../../../../lib/compute/kubernetes/watching.ts';
import { pause } from '../../../../lib/listener/backoff.ts';
import { createLog } from '../../../../lib/listener/log.ts';
import { onLoopback } from '../../../support/http/loopback-server.ts';

/** An API server with nothing in it, which forbids one kind of objects. */
async function anApiServer(forbidden: string): Promise<KubeConfig> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const plural = pathname.split('/').at(-1) ?? '';
    if (plural === forbidden) {
      response.writeHead(403).end(JSON.stringify({ message: `${plural} is forbidden` }));
    } else if (searchParams.has('watch')) {
      response.writeHead(200).flushHeaders();
    } else {
      const kind = pathname.includes('/leases/') ? 'Lease' : 'List';
      response.end(JSON.stringify({ kind, metadata: { resourceVersion: '1' }, items: [] }));
    }
  });
  const { url, close } = await onLoopback(server);
  onTestFinished(close);
  const config = new KubeConfig();
  config.loadFromClusterAndUser({ name: 'test', server: url, skipTLSVerify: true }, { name: 'test' });
  return config;
}

async function watching(forbidden: string) {
  const lines: string[] = [];
  const log = createLog('info', (line) => lines.push(line));
  const config = await anApiServer(forbidden);
  const api = new ApiServer(config);
  const store = new ObjectStore(() => undefined);
  const watches = new Watching({ config, api, listenerId: 'l', namespaces: ['agents'], store, log });
  onTestFinished(() => watches.stop());
  return { started: watches.start(), lines };
}

it('a listener without rights to HTTPRoutes does without them, and says so', async () => {
  const { started, lines } = await watching('httproutes');
  await started;
  expect(lines).toEqual([
    expect.stringMatching(/HTTPRoutes are neither made nor removed: httproutes is forbidden$/),
  ]);
});

it('and does not start without another right', async () => {
  const { started } = await watching('secrets');
  await expect(started).rejects.toThrow('secrets is forbidden');
});

it.each([
  ['tells that the cluster has answered who leads', 'nothing', 1],
  ['does not tell so of a refusal', `slipway-l`, 0],
])('a listener that would lead %s', async (_, forbidden, atLeast) => {
  let answers = 0;
  const refusals: string[] = [];
  const leadership = new Leadership({
    api: new ApiServer(await anApiServer(forbidden)),
    namespace: 'slipway',
    listenerId: 'l',
    holder: 'me',
    log: createLog('warn', (line) => (refusals.push(line), leadership.end())),
    pause,
    now: () => performance.now(),
    answered: () => ((answers += 1), leadership.end()),
  });
  await leadership.lead();
  expect(answers).toBe(atLeast);
  expect(refusals).toHaveLength(1 - atLeast);
});
