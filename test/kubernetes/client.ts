import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import {
  ApiException,
  AppsV1Api,
  AutoscalingV2Api,
  CoreV1Api,
  type CoreV1Event,
  DiscoveryV1Api,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  Log,
  type LogOptions,
  PatchStrategy,
  PolicyV1Api,
  RbacAuthorizationV1Api,
  type V1Container,
  type V1Deployment,
  type V1Pod,
  type V1PodSpec,
  VersionApi,
} from '@kubernetes/client-node';
import { until } from '../support/until.ts';

export type Client = ReturnType<typeof clientOf>;

export function clientOf(config: KubeConfig) {
  const objects = KubernetesObjectApi.makeApiClient(config);
  return {
    config,
    objects,
    core: config.makeApiClient(CoreV1Api),
    apps: config.makeApiClient(AppsV1Api),
    autoscaling: config.makeApiClient(AutoscalingV2Api),
    policy: config.makeApiClient(PolicyV1Api),
    discovery: config.makeApiClient(DiscoveryV1Api),
    access: config.makeApiClient(RbacAuthorizationV1Api),
    version: config.makeApiClient(VersionApi),
    apply: <T extends KubernetesObject>(object: T): Promise<T> =>
      objects.patch(object, undefined, undefined, 'test', true, PatchStrategy.ServerSideApply),
  };
}

export function clientFrom(kubeconfig: string): Client {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  return clientOf(config);
}

/** The same server, as the one whose token it is. */
export function clientAs(admin: Client, token: string): Client {
  const config = new KubeConfig();
  const cluster = admin.config.getCurrentCluster();
  if (cluster === null) throw new Error('the kubeconfig names no cluster');
  config.loadFromClusterAndUser(cluster, { name: 'other', token });
  return clientOf(config);
}

/** A fresh one for each test: its end would take seconds, and nobody waits for it. */
export async function newNamespace({ core }: Client): Promise<string> {
  const name = `test-${randomUUID().slice(0, 8)}`;
  await core.createNamespace({ body: { metadata: { name } } });
  // Pods are refused before it has come.
  await waitFor('the service account', () =>
    core.readNamespacedServiceAccount({ namespace: name, name: 'default' }).catch(() => undefined),
  );
  return name;
}

export const waitFor = <T>(what: string, check: () => T | Promise<T>) => until(check, { what });

/** The status that the server answered. */
export const statusOf = (answer: Promise<unknown>): Promise<number> =>
  answer.then(
    () => 200,
    (error: unknown) => {
      if (error instanceof ApiException) return error.code;
      throw error;
    },
  );

const readinessProbe = { httpGet: { path: '/ok', port: 8000 }, periodSeconds: 1 };

/** As objects of a class, which those of the client are to TypeScript, they could not be spread. */
export type PodSpec = Omit<V1PodSpec, never>;
type Container = Omit<V1Container, 'name'>;

/** A pod as those of agents: its container is ready when /ok answers. */
export const serving = (image: string, main: Container = {}): PodSpec => ({
  terminationGracePeriodSeconds: 2,
  containers: [{ name: 'main', image, ports: [{ containerPort: 8000 }], readinessProbe, ...main }],
});

export const deployment = (namespace: string, name: string, replicas: number, spec: PodSpec) =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec },
    },
  }) satisfies V1Deployment;

export type PodAt = { client: Client; namespace: string; name: string };

/** Makes a pod by itself, with a name of its own. */
export async function newPod(
  client: Client,
  namespace: string,
  spec: PodSpec,
  annotations: Record<string, string> = {},
): Promise<PodAt> {
  const body = { metadata: { generateName: 'pod-', annotations }, spec };
  const { metadata: made } = await client.core.createNamespacedPod({ namespace, body });
  return { client, namespace, name: made?.name ?? '' };
}

export const readPod = ({ client, namespace, name }: PodAt): Promise<V1Pod> =>
  client.core.readNamespacedPod({ namespace, name });

export const podUntil = (at: PodAt, what: string, check: (pod: V1Pod) => boolean): Promise<V1Pod> =>
  waitFor(what, async () => {
    const pod = await readPod(at);
    return check(pod) ? pod : undefined;
  });

type Condition = {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: Date;
};

/** Of a pod or of a list of one kind: its status. */
export const conditionOf = (object: { status?: { conditions?: Condition[] } }, type: string) =>
  object.status?.conditions?.find((condition) => condition.type === type);

export const isReady = (pod: V1Pod): boolean => conditionOf(pod, 'Ready')?.status === 'True';

/** Says by its annotation whether a pod is ready, from now on. */
export const chooseReady = ({ client, namespace, name }: PodAt, ready: boolean): Promise<unknown> =>
  client.apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, annotations: { 'pretend/ready': `${ready}` } },
  });

/** How long after a time (as the API server writes it, in whole seconds) a pod's readiness last changed. */
export const changedAfterMs = (pod: V1Pod, since: Date | undefined): number =>
  (conditionOf(pod, 'Ready')?.lastTransitionTime?.getTime() ?? Number.NaN) - (since?.getTime() ?? Number.NaN);

/** Why the pod's first container waits. */
export const waitingOf = (pod: V1Pod) => pod.status?.containerStatuses?.[0]?.state?.waiting;

/** The first event of an object with this reason and text, once it has come. */
export const eventOf = (
  { client, namespace, name }: PodAt,
  reason: string,
  text: string,
): Promise<CoreV1Event> =>
  waitFor(`the event ${reason} of ${name} with ${text}`, async () => {
    const fieldSelector = `involvedObject.name=${name}`;
    const { items } = await client.core.listNamespacedEvent({ namespace, fieldSelector });
    return items.find((event) => event.reason === reason && event.message?.includes(text));
  });

export type FollowedLog = { readonly lines: string[]; ended: boolean; stop(): void };

export async function followLog(
  { client, namespace, name }: PodAt,
  options: LogOptions = {},
): Promise<FollowedLog> {
  let text = '';
  let broken: Error | undefined;
  const followed: FollowedLog = {
    get lines() {
      // Nothing more comes then: whoever waits for it should hear why.
      if (broken !== undefined) throw broken;
      return text.split('\n').slice(0, -1);
    },
    ended: false,
    stop: () => undefined,
  };
  const sink = new PassThrough().on('data', (data: Buffer) => {
    text += data.toString();
  });
  sink.on('end', () => {
    followed.ended = true;
  });
  let isStopped = false;
  // The stream that is piped here has no listener of its own: without one, abort() would end this process.
  sink.on('pipe', (source) =>
    source.on('error', (error) => {
      if (!isStopped) broken = error;
    }),
  );
  const stopping = await new Log(client.config).log(namespace, name, 'main', sink, {
    follow: true,
    ...options,
  });
  followed.stop = () => {
    isStopped = true;
    stopping.abort();
  };
  return followed;
}
