import type {
  KubernetesObject,
  V1Deployment,
  V1EndpointSlice,
  V1Pod,
  V1Service,
} from '@kubernetes/client-node';
import type { AgentFailure } from '../../domain/agent-failure.ts';
import type { ComputeSet } from '../../domain/rollout.ts';
import { refusalOf } from './refusals.ts';
import { annotations, type Component, labels, setName } from './render/names.ts';
import type { ObjectStore } from './store.ts';

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

/**
 * What `decideRollout` knows of a set. One of whose workers the cluster makes no pods is not ready for its
 * first traffic: nobody would work on its runs.
 */
export function computeSetOf(
  key: string,
  { deployment, queue, ready }: ObservedSet,
  failure: AgentFailure | undefined,
): ComputeSet {
  const noted = deployment.metadata?.annotations ?? {};
  const retiredAt = noted[annotations.retiredAt];
  const served = noted[annotations.served] === 'true';
  const workers = served ? undefined : queue;
  const refusal = workers === undefined ? undefined : refusalOf(workers);
  const hasWorkers = workers === undefined || (refusal === undefined && (workers.status?.replicas ?? 0) > 0);
  return {
    key,
    wanted: deployment.spec?.replicas ?? 1,
    ready: hasWorkers ? ready : 0,
    failure: refusal ?? failure,
    served,
    retiredAt: retiredAt === undefined ? undefined : Date.parse(retiredAt),
  };
}
