import type { V1Deployment, V1Pod } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { Refused } from '../../../../lib/compute/kubernetes/api-server.ts';
import { ClusterMeasures } from '../../../../lib/compute/kubernetes/measures.ts';
import { annotations, labels } from '../../../../lib/compute/kubernetes/render/names.ts';
import { ObjectStore } from '../../../../lib/compute/kubernetes/store.ts';
import { RESTART_REASONS_MAX } from '../../../../lib/contract/deployments/counts.ts';
import { createLog } from '../../../../lib/listener/log.ts';

const DEPLOYMENT = '00000000-0000-4000-8000-000000000001';
const REVISION = '00000000-0000-4000-8000-000000000002';
const OLDER = '00000000-0000-4000-8000-000000000003';
const GIBIBYTE = 1024 ** 3;

let version = 0;

const metadata = (name: string, component: string, key: string) => ({
  name,
  namespace: 'agents',
  uid: name,
  resourceVersion: String((version += 1)),
  labels: { [labels.deployment]: DEPLOYMENT, [labels.component]: component, [labels.set]: key },
});

const set = (key: string, revisionId: string, replicas: number, retiredAt?: string): V1Deployment => ({
  metadata: {
    ...metadata(`app-${key}`, 'server', key),
    annotations: {
      [annotations.revision]: revisionId,
      [annotations.deploymentName]: 'app',
      ...(retiredAt !== undefined && { [annotations.retiredAt]: retiredAt }),
    },
  },
  spec: { replicas, selector: {}, template: {} },
});

type Is = {
  key?: string;
  component?: string;
  ready?: boolean;
  restarts?: number;
  ended?: object;
  made?: Date;
};

const pod = (name: string, is: Is = {}): V1Pod => {
  const { key = 'new', component = 'server', ready = true, restarts = 0, ended, made } = is;
  return {
    metadata: { ...metadata(name, component, key), ...(made !== undefined && { creationTimestamp: made }) },
    spec: {
      containers: [{ name: component, resources: { limits: { cpu: '500m', memory: '1Gi' } } }],
    },
    status: {
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      containerStatuses: [
        {
          name: component,
          image: '',
          imageID: '',
          ready,
          restartCount: restarts,
          ...(ended !== undefined && { lastState: { terminated: { exitCode: 1, ...ended } } }),
        },
      ],
    },
  };
};

const used = (name: string, cpu: string | number, memory: string) => ({
  metadata: { name, namespace: 'agents' },
  containers: [{ name: 'server', usage: { cpu, memory } }],
});

function aCluster(answer: () => object[]) {
  const asked: string[] = [];
  const lines: string[] = [];
  const store = new ObjectStore(() => undefined);
  const measures = new ClusterMeasures({
    api: {
      list: async (path, { labelSelector }) => {
        asked.push(`${path}?${labelSelector}`);
        return { items: answer() };
      },
    },
    store,
    namespaces: ['agents', 'more'],
    listenerId: 'one',
    log: createLog('info', (line) => lines.push(line)),
  });
  return { measures, store, asked, lines };
}

describe('what is measured in a cluster', () => {
  it('servers, processors, memory and their limits, of servers and workers together', async () => {
    const { measures, store, asked } = aCluster(() => [
      used('a', '250m', '300Mi'),
      used('b', 100_000_000 / 1e9, '100Mi'),
      used('w', '12345678n', '64Mi'),
      used('other', '9', '9Gi'),
    ]);
    store.put('Deployment', set('new', REVISION, 3));
    store.put('Deployment', set('old', OLDER, 2, '2026-11-27T00:00:00Z'));
    for (const each of [
      pod('a'),
      pod('b', { ready: false }),
      pod('w', { component: 'queue' }),
      pod('c', { key: 'old' }),
    ])
      store.put('Pod', each);
    const rows = await measures.take();
    expect(rows).toEqual([
      {
        deploymentId: DEPLOYMENT,
        deploymentName: 'app',
        revisionId: REVISION,
        counts: {
          servers_wanted: 3,
          servers_ready: 1,
          cpu_cores: 0.362,
          memory_bytes: 464 * 1024 ** 2,
          cpu_limit: 1.5,
          memory_limit: 3 * GIBIBYTE,
          restarts: [],
        },
      },
      {
        deploymentId: DEPLOYMENT,
        deploymentName: 'app',
        revisionId: OLDER,
        counts: {
          servers_wanted: 0,
          servers_ready: 1,
          cpu_limit: 0.5,
          memory_limit: GIBIBYTE,
          restarts: [],
        },
      },
    ]);
    expect(asked).toEqual([
      '/apis/metrics.k8s.io/v1beta1/namespaces/agents/pods?app.kubernetes.io/managed-by=slipway,slipway.dev/listener=one',
    ]);
  });

  it('restarts since it was asked last, with the reason; those of an earlier listener are its own', async () => {
    const { measures, store } = aCluster(() => []);
    const restartsOf = async () => (await measures.take()).flatMap(({ counts }) => counts.restarts);
    store.put('Deployment', set('new', REVISION, 1));
    store.put('Pod', pod('a', { restarts: 7, ended: { exitCode: 1 }, made: new Date(0) }));
    expect(await restartsOf()).toEqual([]);
    store.put('Pod', pod('a', { restarts: 8, ended: { exitCode: 137, reason: 'OOMKilled' } }));
    store.put(
      'Pod',
      pod('b', { restarts: 2, ended: { exitCode: 3, reason: 'Error' }, made: new Date(Date.now() + 1_000) }),
    );
    expect(await restartsOf()).toEqual([
      { reason: 'OOMKilled', count: 1 },
      { reason: 'exit code 3', count: 2 },
    ]);
    expect(await restartsOf()).toEqual([]);
  });

  it('restarts for no more reasons than a minute has room for, each of them counted', async () => {
    const { measures, store } = aCluster(() => []);
    store.put('Deployment', set('new', REVISION, 1));
    for (let code = 1; code <= 12; code++)
      store.put(
        'Pod',
        pod(`p${code}`, { restarts: 1, ended: { exitCode: code }, made: new Date(Date.now() + 1_000) }),
      );
    const restarts = (await measures.take())[0]?.counts.restarts ?? [];
    expect(restarts).toHaveLength(RESTART_REASONS_MAX);
    expect(restarts.reduce((all, { count }) => all + count, 0)).toBe(12);
  });

  it.each([
    [404, 'metrics-server is not installed'],
    [403, 'Upgrade|upgrade it'],
  ])('what is missing is said once, after the answer %d', async (code, words) => {
    let isThere = false;
    const { measures, store, lines } = aCluster(() => {
      if (!isThere) throw new Refused(code, 'no');
      return [used('a', '1', '1Mi')];
    });
    store.put('Deployment', set('new', REVISION, 1));
    store.put('Pod', pod('a'));
    await measures.start();
    const missing = measures.missing.map(({ what }) => what);
    expect(missing).toEqual(['requests', 'latency', 'streams', 'bytes', 'runs', 'cpu', 'memory']);
    expect(measures.missing.at(-1)?.why).toMatch(new RegExp(words));
    const [row] = await measures.take();
    expect(row?.counts).not.toHaveProperty('cpu_cores');
    expect(lines).toHaveLength(1);
    isThere = true;
    expect((await measures.take())[0]?.counts.cpu_cores).toBe(1);
    expect(measures.missing.map(({ what }) => what)).not.toContain('cpu');
  });

  it('what passes, like an API server in trouble, is not called missing', async () => {
    const { measures, lines } = aCluster(() => {
      throw new Error('The API server answers 503');
    });
    await measures.start();
    expect(measures.missing.map(({ what }) => what)).not.toContain('cpu');
    expect(lines).toEqual([expect.stringContaining('503')]);
  });
});
