import type {
  KubernetesObject,
  V1Deployment,
  V1EndpointSlice,
  V1Pod,
  V1Service,
} from '@kubernetes/client-node';
import type { AgentFailure } from '../../../domain/agent-failure.ts';
import type { ComputeSet } from '../../../domain/rollout.ts';
import { annotations, labels, setName } from './render/names.ts';
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

export type ObservedSet = { deployment: V1Deployment; pods: V1Pod[]; ready: number };

/** Key of the set whose servers an object is, or makes. */
function serverSet({ metadata }: KubernetesObject): string | undefined {
  const own = metadata?.labels ?? {};
  return own[labels.component] === 'server' ? own[labels.set] : undefined;
}

export function observe(store: ObjectStore, deploymentId: string, base: string): Observed {
  const service = store.get(deploymentId, 'Service', base);
  const slices = store.all(deploymentId, 'EndpointSlice');
  const pods = store.all(deploymentId, 'Pod');
  const sets = new Map<string, ObservedSet>();
  for (const deployment of store.all(deploymentId, 'Deployment')) {
    const key = serverSet(deployment);
    if (key === undefined || deployment.metadata?.deletionTimestamp !== undefined) continue;
    sets.set(key, {
      deployment,
      pods: pods.filter((pod) => serverSet(pod) === key),
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

/** What `decideRollout` knows of a set. */
export function computeSetOf(
  key: string,
  { deployment, ready }: ObservedSet,
  failure: AgentFailure | undefined,
): ComputeSet {
  const noted = deployment.metadata?.annotations ?? {};
  const retiredAt = noted[annotations.retiredAt];
  return {
    key,
    wanted: deployment.spec?.replicas ?? 1,
    ready,
    failure,
    served: noted[annotations.served] === 'true',
    retiredAt: retiredAt === undefined ? undefined : Date.parse(retiredAt),
  };
}
