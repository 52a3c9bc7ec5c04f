import type { V1Deployment, V1Pod } from '@kubernetes/client-node';
import type { MinuteCounts, Unmeasured } from '../../contract/deployments/counts.ts';
import { mergeAll } from '../../domain/metrics/merge.ts';
import type { MeasuredRevision } from '../../listener/counts/measured.ts';
import type { Log } from '../../listener/log.ts';
import type { ApiServer } from './api-server.ts';
import { noted } from './noted.ts';
import { PodMetrics, type PodUsage } from './pod-metrics.ts';
import { PodRestarts } from './pod-restarts.ts';
import { quantityOf } from './quantities.ts';
import { annotations, labels } from './render/names.ts';
import type { ObjectStore } from './store.ts';

const PAST_THE_LISTENER =
  'Requests reach the pods through the cluster, past the listener. Measure them at the ingress or gateway.';
const SILENT_RUNTIME = 'The agent server in the image does not tell the listener of its runs.';

/** What no listener of a cluster can measure. */
const alwaysMissing: readonly Unmeasured[] = [
  ...(['requests', 'latency', 'streams', 'bytes'] as const).map((what) => ({ what, why: PAST_THE_LISTENER })),
  { what: 'runs', why: SILENT_RUNTIME },
];

type Parts = {
  api: Pick<ApiServer, 'list'>;
  store: Pick<ObjectStore, 'deploymentIds' | 'all'>;
  namespaces: readonly string[];
  listenerId: string;
  log: Log;
};

/** What is measured in a cluster: pods by what watches tell of them, and by metrics-server where there is one. */
export class ClusterMeasures {
  readonly #parts: Parts;
  readonly #metrics: PodMetrics;
  readonly #restarts = new PodRestarts(Date.now());

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#metrics = new PodMetrics(parts);
  }

  /** Learns whether there is a metrics-server. */
  async start(): Promise<void> {
    await this.#metrics.read(this.#parts.namespaces);
  }

  get missing(): Unmeasured[] {
    return [...alwaysMissing, ...this.#metrics.missing];
  }

  /** Of each revision that has servers, or shall have. */
  async take(): Promise<MeasuredRevision[]> {
    const { store } = this.#parts;
    const sets = store.deploymentIds().flatMap((deploymentId) => this.#setsOf(deploymentId));
    const restarts = sets.map(({ pods }) => this.#restarts.of(pods));
    this.#restarts.endRound();
    const namespaces = new Set(sets.flatMap(({ pods }) => pods.flatMap((pod) => namespaceOf(pod) ?? [])));
    const usages = await this.#metrics.read(namespaces);
    const measured = sets.map((set, index) => ({
      ...set,
      counts: { ...countsOf(set, usages), restarts: restarts[index] ?? [] },
    }));
    const byRevision = Map.groupBy(
      measured,
      ({ deploymentId, revisionId }) => `${deploymentId}/${revisionId}`,
    );
    return [...byRevision.values()].flatMap((same) => {
      const [first] = same;
      const counts = mergeAll(
        same.map((each) => each.counts),
        'revisions',
      );
      if (first === undefined || counts === undefined) return [];
      const { deploymentId, deploymentName, revisionId } = first;
      return [{ deploymentId, deploymentName, revisionId, counts }];
    });
  }

  /** The sets of servers of a deployment, with their pods and those of their workers. */
  #setsOf(deploymentId: string): SetOfPods[] {
    const { store } = this.#parts;
    const pods = store.all(deploymentId, 'Pod');
    return store.all(deploymentId, 'Deployment').flatMap((deployment) => {
      const key = deployment.metadata?.labels?.[labels.set];
      const revisionId = noted(deployment, annotations.revision);
      const isServer = deployment.metadata?.labels?.[labels.component] === 'server';
      if (!isServer || key === undefined || revisionId === undefined || revisionId === '') return [];
      const own = pods.filter(({ metadata }) => metadata?.labels?.[labels.set] === key);
      const deploymentName = noted(deployment, annotations.deploymentName) ?? deploymentId;
      return [{ deploymentId, deploymentName, revisionId, deployment, pods: own }];
    });
  }
}

type SetOfPods = {
  deploymentId: string;
  deploymentName: string;
  revisionId: string;
  deployment: V1Deployment;
  pods: V1Pod[];
};

function countsOf({ deployment, pods }: SetOfPods, usages: ReadonlyMap<string, PodUsage>): MinuteCounts {
  const isRetired = noted(deployment, annotations.retiredAt) !== undefined;
  const servers = pods.filter(({ metadata }) => metadata?.labels?.[labels.component] === 'server');
  const used = pods.flatMap((pod) => usages.get(`${namespaceOf(pod)}/${pod.metadata?.name}`) ?? []);
  const cpuLimit = limitOf(pods, 'cpu');
  const memoryLimit = limitOf(pods, 'memory');
  return {
    servers_wanted: isRetired ? 0 : (deployment.spec?.replicas ?? 1),
    servers_ready: servers.filter(isReady).length,
    ...(used.length > 0 && {
      cpu_cores: rounded(sum(used.map(({ cpuCores }) => cpuCores))),
      memory_bytes: sum(used.map(({ memoryBytes }) => memoryBytes)),
    }),
    ...(cpuLimit !== undefined && { cpu_limit: rounded(cpuLimit) }),
    ...(memoryLimit !== undefined && { memory_limit: Math.round(memoryLimit) }),
  };
}

const namespaceOf = ({ metadata }: V1Pod): string | undefined => metadata?.namespace;

const isReady = ({ metadata, status }: V1Pod): boolean =>
  metadata?.deletionTimestamp === undefined &&
  (status?.conditions ?? []).some((condition) => condition.type === 'Ready' && condition.status === 'True');

/** Of all containers together; undefined: one of them has none, or there is no pod. */
function limitOf(pods: readonly V1Pod[], resource: 'cpu' | 'memory'): number | undefined {
  const containers = pods.flatMap(({ spec }) => spec?.containers ?? []);
  const limits = containers.map(({ resources }) => quantityOf(resources?.limits?.[resource] ?? ''));
  const known = limits.filter((limit) => limit !== undefined);
  return known.length === 0 || known.length < limits.length ? undefined : sum(known);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
const rounded = (cores: number): number => Math.round(cores * 1000) / 1000;
