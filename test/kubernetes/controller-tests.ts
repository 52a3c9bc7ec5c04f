import { isDeepStrictEqual } from 'node:util';
import type { V1Deployment, V1EndpointSlice } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import {
  type Client,
  chooseReady,
  conditionOf,
  deployment,
  isReady,
  newNamespace,
  newPod,
  type PodAt,
  type PodSpec,
  podUntil,
  serving,
  statusOf,
  waitFor,
} from './client.ts';

type At = () => { client: Client };

const serviceFor = (namespace: string, app: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace, name: app },
  spec: { selector: { app }, ports: [{ port: 80, targetPort: 8000 }] },
});

async function slicesOf({ discovery }: Client, namespace: string, app: string): Promise<V1EndpointSlice[]> {
  const labelSelector = `kubernetes.io/service-name=${app}`;
  return (await discovery.listNamespacedEndpointSlice({ namespace, labelSelector })).items;
}

/** Its pods are not ready until that is chosen for each of them. */
function unreadyDeployment(namespace: string, replicas: number, podSpec: PodSpec): V1Deployment {
  const { spec, ...rest } = deployment(namespace, 'web', replicas, podSpec);
  const metadata = { ...spec.template.metadata, annotations: { 'pretend/ready': 'false' } };
  return { ...rest, spec: { ...spec, template: { ...spec.template, metadata } } };
}

async function podsOf(client: Client, namespace: string): Promise<PodAt[]> {
  const { items } = await client.core.listNamespacedPod({ namespace });
  return items.map(({ metadata }) => ({ client, namespace, name: metadata?.name ?? '' }));
}

/** How many endpoints there are in each state. */
async function endpointsOf(client: Client, namespace: string, app: string) {
  const all = (await slicesOf(client, namespace, app)).flatMap(({ endpoints }) => endpoints ?? []);
  const count = (state: 'ready' | 'serving' | 'terminating') =>
    all.filter(({ conditions }) => conditions?.[state] === true).length;
  return {
    all: all.length,
    ready: count('ready'),
    serving: count('serving'),
    terminating: count('terminating'),
  };
}

function rolloutTests(at: At): void {
  it('rolls out a Deployment, the next one, and gives up on one that fails', async () => {
    const { client } = at();
    const namespace = await newNamespace(client);
    const read = () => client.apps.readNamespacedDeployment({ namespace, name: 'web' });
    const isAvailable = async (replicas: number) => {
      const { metadata, status } = await read();
      return (
        status?.observedGeneration === metadata?.generation &&
        status?.availableReplicas === replicas &&
        status?.updatedReplicas === replicas &&
        status?.replicas === replicas
      );
    };
    await client.apply(deployment(namespace, 'web', 2, serving('example.com/web:1')));
    await waitFor('the first revision', () => isAvailable(2));
    await client.apply(deployment(namespace, 'web', 3, serving('example.com/web:2')));
    await waitFor('the second revision', () => isAvailable(3));
    const failing = deployment(namespace, 'web', 3, serving('pretend.test/crash-loop:1'));
    await client.apply({ ...failing, spec: { ...failing.spec, progressDeadlineSeconds: 2 } });
    const reason = 'ProgressDeadlineExceeded';
    await waitFor(reason, async () => conditionOf(await read(), 'Progressing')?.reason === reason);
    expect((await read()).status?.availableReplicas).toBeGreaterThanOrEqual(2);
    await client.apps.deleteNamespacedDeployment({ namespace, name: 'web', propagationPolicy: 'Foreground' });
    await waitFor('the end of all', async () => {
      const gone = (await statusOf(read())) === 404;
      return gone && (await client.core.listNamespacedPod({ namespace })).items.length === 0;
    });
  });

  it('runs a StatefulSet in order, with disks that grow and go', async () => {
    const { client } = at();
    const namespace = await newNamespace(client);
    const claim = (storage: string) => ({
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
    });
    const template: PodSpec = {
      containers: [
        { name: 'main', image: 'postgres:17', volumeMounts: [{ name: 'data', mountPath: '/data' }] },
      ],
    };
    const { metadata, spec } = deployment(namespace, 'db', 2, template);
    await client.apply({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata,
      spec: { ...spec, serviceName: 'db', volumeClaimTemplates: [claim('1Gi')] },
    });
    for (const name of ['db-0', 'db-1']) {
      await waitFor(
        name,
        async () => (await statusOf(client.core.readNamespacedPod({ namespace, name }))) === 200,
      );
      await podUntil({ client, namespace, name }, 'a ready pod', isReady);
    }
    const disk = { namespace, name: 'data-db-0' };
    const { status, spec: kept } = await client.core.readNamespacedPersistentVolumeClaim(disk);
    expect([status?.phase, status?.capacity]).toEqual(['Bound', { storage: '1Gi' }]);
    await client.apply({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: disk,
      spec: { accessModes: kept?.accessModes, resources: claim('2Gi').spec.resources },
    });
    await waitFor('a larger disk', async () => {
      const seen = await client.core.readNamespacedPersistentVolumeClaim(disk);
      return seen.status?.capacity?.storage === '2Gi';
    });
    await client.core.deleteNamespacedPersistentVolumeClaim({ namespace, name: 'data-db-1' });
    const inUse = await client.core.readNamespacedPersistentVolumeClaim({ namespace, name: 'data-db-1' });
    expect(inUse.metadata?.deletionTimestamp).toBeDefined();
    await client.apps.deleteNamespacedStatefulSet({ namespace, name: 'db' });
    const read = client.core.readNamespacedPersistentVolumeClaim.bind(client.core);
    await waitFor('the disk', async () => (await statusOf(read({ namespace, name: 'data-db-1' }))) === 404);
  });
}

function trafficTests(at: At): void {
  it('sends requests to pods that are ready and not to those that end', async () => {
    const { client } = at();
    const namespace = await newNamespace(client);
    // Both pods have to be in the pause while it is looked at; the other states last until they are ended.
    const lifecycle = { preStop: { sleep: { seconds: 30 } } };
    const spec = {
      ...serving('pretend.test/ignores-term:1', { lifecycle }),
      terminationGracePeriodSeconds: 1_200,
    };
    await client.apply(serviceFor(namespace, 'web'));
    await client.apply(unreadyDeployment(namespace, 2, spec));
    const becomes = (what: string, wanted: Awaited<ReturnType<typeof endpointsOf>>) =>
      waitFor(what, async () => isDeepStrictEqual(await endpointsOf(client, namespace, 'web'), wanted));
    await becomes('pods that start', { all: 2, ready: 0, serving: 0, terminating: 0 });
    const pods = await podsOf(client, namespace);
    for (const pod of pods) await chooseReady(pod, true);
    await becomes('ready pods', { all: 2, ready: 2, serving: 2, terminating: 0 });
    const { items } = await client.core.listNamespacedPod({ namespace });
    const ips = items.map(({ status }) => status?.podIP ?? '').toSorted();
    const slices = await slicesOf(client, namespace, 'web');
    const addresses = slices.flatMap(({ endpoints }) => endpoints ?? []).flatMap((each) => each.addresses);
    expect(addresses.toSorted()).toEqual(ips);
    await client.apply(unreadyDeployment(namespace, 0, spec));
    await becomes('pods in their preStop pause', { all: 2, ready: 0, serving: 2, terminating: 2 });
    await becomes('pods after SIGTERM', { all: 2, ready: 0, serving: 0, terminating: 2 });
    for (const pod of pods) await client.core.deleteNamespacedPod({ ...pod, gracePeriodSeconds: 1 });
    await becomes('no pods', { all: 0, ready: 0, serving: 0, terminating: 0 });
  });

  it('keeps to a PodDisruptionBudget', async () => {
    const { client } = at();
    const namespace = await newNamespace(client);
    await client.apply({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { namespace, name: 'web' },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
    });
    await client.apply(unreadyDeployment(namespace, 2, serving('any:1')));
    const pods = await waitFor('two pods', async () => {
      const found = await podsOf(client, namespace);
      return found.length === 2 && found;
    });
    // The one that replaces an evicted one stays unready: it allows no other disruption.
    for (const pod of pods) await chooseReady(pod, true);
    await waitFor('a disruption that is allowed', async () => {
      const { status } = await client.policy.readNamespacedPodDisruptionBudget({ namespace, name: 'web' });
      return status?.disruptionsAllowed === 1;
    });
    const evict = ({ name }: PodAt) =>
      statusOf(client.core.createNamespacedPodEviction({ namespace, name, body: { metadata: { name } } }));
    const answers: number[] = [];
    for (const pod of pods) answers.push(await evict(pod));
    expect(answers).toEqual([200, 429]);
  });

  it('scales by the CPU that pods say they use', async () => {
    const { client } = at();
    const namespace = await newNamespace(client);
    const spec = serving('pretend.test/cpu-millis-300:1', { resources: { requests: { cpu: '200m' } } });
    await client.apply(deployment(namespace, 'web', 1, spec));
    const target = { type: 'Utilization', averageUtilization: 75 };
    await client.apply({
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { namespace, name: 'web' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        minReplicas: 1,
        maxReplicas: 3,
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
      },
    });
    await waitFor('three replicas', async () => {
      const { status } = await client.apps.readNamespacedDeployment({ namespace, name: 'web' });
      return status?.readyReplicas === 3;
    });
    const { status } = await client.autoscaling.readNamespacedHorizontalPodAutoscaler({
      namespace,
      name: 'web',
    });
    expect(status?.currentMetrics?.[0]?.resource?.current).toMatchObject({ averageUtilization: 150 });
  });

  it('knows the Gateway API and checks its routes', async () => {
    const { client } = at();
    const namespace = await newNamespace(client);
    const route = (port: number) => ({
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: { namespace, name: 'web' },
      spec: { parentRefs: [{ name: 'public' }], rules: [{ backendRefs: [{ name: 'web', port }] }] },
    });
    expect(await statusOf(client.apply(route(80)))).toBe(200);
    expect(await statusOf(client.apply(route(70_000)))).toBe(422);
  });
}

export function controllerTests(at: At): void {
  describe.concurrent('the controllers', () => {
    rolloutTests(at);
    trafficTests(at);
  });
  it('lets a namespace end', async () => {
    const { client } = at();
    const namespace = await newNamespace(client);
    await newPod(client, namespace, serving('any:1'));
    expect(await statusOf(client.core.deleteNamespace({ name: namespace }))).toBe(200);
    const read = () => statusOf(client.core.readNamespace({ name: namespace }));
    await waitFor('its end', async () => (await read()) === 404);
  });
}
