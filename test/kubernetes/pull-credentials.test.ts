import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiServer } from '../../lib/compute/kubernetes/api-server.ts';
import { Cluster as Changes } from '../../lib/compute/kubernetes/cluster.ts';
import { PullCredentials } from '../../lib/compute/kubernetes/pull-credentials.ts';
import { ObjectStore } from '../../lib/compute/kubernetes/store.ts';
import { kubernetesConfig } from '../../lib/contract/kubernetes-config.ts';
import { createLog } from '../../lib/listener/log.ts';
import { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { until } from '../support/until.ts';
import { plainSpec } from '../support/world/deploy-spec.ts';
import { type Cluster, startCluster } from './start-cluster.ts';

const LISTENER = '0199f5f6-1c1e-7aaa-8bbb-00112233abcd';
const NAMESPACES = ['agents', 'others'];

const processes = new ProcessSupervisor();
let cluster: Cluster;
let core: CoreV1Api;
let config: KubeConfig;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-cluster-'));
  cluster = await startCluster(processes, folder);
  config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
  core = config.makeApiClient(CoreV1Api);
  for (const name of NAMESPACES) await core.createNamespace({ body: { metadata: { name } } });
});

afterAll(async () => {
  await cluster.stop();
  await processes.close();
  await rm(cluster.folder, { recursive: true, force: true });
});

it('a Secret in each namespace has the credentials, and newer ones in place', async () => {
  const store = new ObjectStore(() => undefined);
  let asked = 0;
  const credentials = new PullCredentials({
    cluster: new Changes(new ApiServer(config), store),
    controlPlane: {
      registryCredentials: async () => {
        asked += 1;
        // The first ones have almost expired: they are renewed as soon as that is allowed.
        const expires_at = new Date(Date.now() + 1000).toISOString();
        return { registry: 'registry.test', username: 'AWS', password: `password ${asked}`, expires_at };
      },
    },
    listenerId: LISTENER,
    needed: () => undefined,
    log: createLog('error', () => undefined),
  });
  const context = { listenerId: LISTENER, computeConfig: kubernetesConfig.parse({}), graceSeconds: 1 };
  for (const [index, namespace] of NAMESPACES.entries()) {
    const spec = plainSpec({
      deployment_id: String(index),
      deployment_name: 'app',
      tenant_id: 'tenant',
      revision_id: 'revision',
      artifact: { kind: 'image', uri: 'registry.test/app@sha256:1' },
    });
    await credentials.prepare(spec, { ...context, namespace });
  }
  const secrets = () =>
    Promise.all(
      NAMESPACES.map((namespace) => core.readNamespacedSecret({ name: 'slipway-pull-2233abcd', namespace })),
    );
  const first = await secrets();
  expect(first.map(({ type }) => type)).toEqual(NAMESPACES.map(() => 'kubernetes.io/dockerconfigjson'));
  expect(store.deploymentIds()).toEqual([]);

  const isNewer = async () => {
    const now = await secrets();
    return now.every(({ data }, index) => JSON.stringify(data) !== JSON.stringify(first[index]?.data)) && now;
  };
  const newer = await until(isNewer, { what: 'newer credentials' });
  expect(newer.map(({ metadata }) => metadata?.uid)).toEqual(first.map(({ metadata }) => metadata?.uid));
  credentials.close();
});
