import type {
  KubernetesObject,
  V1Deployment,
  V1EndpointSlice,
  V1Pod,
  V1Service,
} from '@kubernetes/client-node';
import type { AgentFailure } from '../../domain/agent-failure.ts';
import { allTo } from '../../domain/rollout.ts';
import type { Found, FoundSet } from '../port.ts';
import type { Cluster } from './cluster.ts';
import { noted } from './noted.ts';
import { failureOf } from './reasons.ts';
import { refusalOf } from './refusals.ts';
import { annotations, type Component, labels, setName } from './render/names.ts';
import type { ObjectStore } from './store.ts';
import { type StoreInquiry, storeFailureOf, withStores } from './store-troubles.ts';

/** A deployment as the cluster has it. */
export type Observed = {
  /** What clients reach; its selector names the set that gets the requests. */
  service: V1Service | undefined;
  /** Key of the set that gets the requests. */
  traffic: string | undefined;
  /** Sets by their keys. */
  sets: Map<string, ObservedSet>;
};

export type ObservedSet = {
  deployment: V1Deployment;
  /** What makes the workers, where they run apart. */
  queue: V1Deployment | undefined;
  pods: V1Pod[];
  ready: number;
};

/** Key of the set whose servers, or workers, an object is, or makes. */
function setOf({ metadata }: KubernetesObject, component: Component): string | undefined {
  const own = metadata?.labels ?? {};
  return own[labels.component] === component ? own[labels.set] : undefined;
}

export function observe(store: ObjectStore, deploymentId: string, base: string): Observed {
  const service = store.get(deploymentId, 'Service', base);
  const slices = store.all(deploymentId, 'EndpointSlice');
  const pods = store.all(deploymentId, 'Pod');
  const sets = new Map<string, ObservedSet>();
  const deployments = store.all(deploymentId, 'Deployment');
  for (const deployment of deployments) {
    const key = setOf(deployment, 'server');
    if (key === undefined || deployment.metadata?.deletionTimestamp !== undefined) continue;
    sets.set(key, {
      deployment,
      queue: deployments.find((each) => setOf(each, 'queue') === key),
      pods: pods.filter((pod) => setOf(pod, 'server') === key),
      ready: readyEndpoints(slices, setName(base, key)),
    });
  }
  return { service, traffic: service?.spec?.selector?.[labels.set], sets };
}

/** As the cluster's own controller sees it, which moves the traffic by the same view. */
function readyEndpoints(slices: readonly V1EndpointSlice[], serviceName: string): number {
  const own = slices.filter(
    ({ metadata }) => metadata?.labels?.['kubernetes.io/service-name'] === serviceName,
  );
  return own.flatMap(({ endpoints = [] }) => endpoints ?? []).filter(isReady).length;
}

const isReady = ({ conditions }: { conditions?: { ready?: boolean; terminating?: boolean } }): boolean =>
  conditions?.ready !== false && conditions?.terminating !== true;

/** As the port gives it: what is being deleted is not there any more. */
export const foundInCluster = ({ sets, traffic }: Observed): Found => ({
  sets: [...sets].map(([key, set]) => foundSet(key, set)),
  traffic: traffic === undefined ? [] : allTo(traffic),
});

/**
 * One of whose workers the cluster makes no pods is not ready for its first traffic: nobody would work on its
 * runs.
 */
function foundSet(key: string, set: ObservedSet): FoundSet {
  const { deployment, ready } = set;
  const retiredAt = noted(deployment, annotations.retiredAt);
  const workers = workersOf(set);
  const hasWorkers =
    workers === undefined || (refusalOf(workers) === undefined && (workers.status?.replicas ?? 0) > 0);
  return {
    key,
    wanted: deployment.spec?.replicas ?? 1,
    ready: hasWorkers ? ready : 0,
    served: noted(deployment, annotations.served) === 'true',
    revisionId: noted(deployment, annotations.revision) ?? '',
    retiredAt: retiredAt === undefined ? undefined : Date.parse(retiredAt),
    isWhole: true,
    isLeaving: false,
  };
}

/** Workers that run apart and may keep a set from its first traffic. */
const workersOf = ({ deployment, queue }: ObservedSet): V1Deployment | undefined =>
  noted(deployment, annotations.served) === 'true' ? undefined : queue;

type Asked = { id: string; cluster: Cluster; store: ObjectStore };

/** Why servers of a set are missing, where that is known: its workers, its pods, or the stores they need. */
export async function failureInCluster(
  set: ObservedSet,
  { id, cluster, store }: Asked,
): Promise<AgentFailure | undefined> {
  const { deployment, pods, ready } = set;
  const workers = workersOf(set);
  const refusal = workers && refusalOf(workers);
  if (refusal !== undefined || ready >= (deployment.spec?.replicas ?? 1)) return refusal;
  const inquiry: StoreInquiry = {
    lastWords: (pod, container) => cluster.lastWords(pod, container),
    eventsOf: (object) => cluster.eventsOf(object),
    eventsOfClaim: (namespace, name) => cluster.eventsOfClaim(namespace, name),
  };
  const workloads = [...store.all(id, 'Deployment'), ...store.all(id, 'StatefulSet')];
  return withStores(
    await failureOf(pods, deployment, inquiry),
    await storeFailureOf(workloads, store.all(id, 'Pod'), inquiry),
  );
}
