import type { KubernetesObject, V1Deployment, V1Pod, V1StatefulSet } from '@kubernetes/client-node';
import type { AgentFailure } from '../../domain/agent-failure.ts';
import { refusalOf } from './refusals.ts';
import type { Store } from './render/environment.ts';
import { labels } from './render/names.ts';

type StoreFailure = Extract<AgentFailure, { kind: 'store_down' }>;
type Workload = V1Deployment | V1StatefulSet;

/** What only the API server knows of what a store is made of. */
export type StoreInquiry = {
  lastWords: (pod: V1Pod, container: string) => Promise<string[]>;
  /** What is said of an object, the newest last. */
  eventsOf: (object: KubernetesObject) => Promise<string[]>;
  /** What is said of the claim of a volume. */
  eventsOfClaim: (namespace: string, name: string) => Promise<string[]>;
};

/** What servers do that have no store. */
const FOLLOWS: ReadonlySet<AgentFailure['kind']> = new Set(['exited', 'ok_status', 'ok_silent']);
/** What the volume's controller says while all is well. */
const CLAIM_NOISE =
  /waiting for first consumer|External provisioner is provisioning|Successfully provisioned/i;

const componentOf = ({ metadata }: KubernetesObject): string | undefined =>
  metadata?.labels?.[labels.component];

/** Why servers are missing: what follows from a store that is down is that. */
export function withStores(
  own: AgentFailure | undefined,
  store: StoreFailure | undefined,
): AgentFailure | undefined {
  if (store === undefined) return own;
  if (own === undefined) return store.said === undefined ? undefined : store;
  return FOLLOWS.has(own.kind) ? store : own;
}

/** Our own Postgres or Redis, where one of them serves nobody; undefined: all do, or there are none. */
export async function storeFailureOf(
  workloads: readonly Workload[],
  pods: readonly V1Pod[],
  inquiry: StoreInquiry,
): Promise<StoreFailure | undefined> {
  for (const store of ['postgres', 'redis'] as const) {
    const workload = workloads.find((each) => componentOf(each) === store);
    if (workload === undefined || (workload.status?.readyReplicas ?? 0) > 0) continue;
    const pod = pods.find((each) => componentOf(each) === store);
    const said = pod === undefined ? await ofNoPod(workload, inquiry) : await ofPod(pod, inquiry);
    return { kind: 'store_down', store: storeNames[store], said };
  }
  return undefined;
}

const storeNames = { postgres: 'Postgres', redis: 'Redis' } as const satisfies Record<Store, string>;

/** A Deployment notes on itself why it has no pod; of a StatefulSet there are events. */
async function ofNoPod(workload: Workload, { eventsOf }: StoreInquiry): Promise<string | undefined> {
  const refusal = refusalOf(workload);
  if (refusal !== undefined) return 'said' in refusal ? refusal.said : undefined;
  const last = (await eventsOf(workload)).findLast((message) => /failed error:/i.test(message));
  return last?.replace(/^.*?failed error: /is, '');
}

async function ofPod(pod: V1Pod, inquiry: StoreInquiry): Promise<string | undefined> {
  const unplaced = pod.status?.conditions?.find(
    ({ type, status }) => type === 'PodScheduled' && status === 'False',
  );
  if (unplaced !== undefined) return ofPlace(pod, unplaced.message ?? '', inquiry);
  const [status] = pod.status?.containerStatuses ?? [];
  const { reason = '', message = '' } = status?.state?.waiting ?? {};
  if (reason.includes('Image')) return ofImage(pod, `${reason}: ${message}`, inquiry);
  const ended = status?.state?.terminated ?? status?.lastState?.terminated;
  if (ended === undefined) return undefined;
  const [lastLine = ''] = (await inquiry.lastWords(pod, status?.name ?? '')).slice(-1);
  return `it ends again and again, last with ${ended.reason ?? 'code'} ${ended.exitCode}: ${lastLine}`;
}

/** The scheduler knows that a volume is missing, its claim knows why. */
async function ofPlace(pod: V1Pod, said: string, { eventsOfClaim }: StoreInquiry): Promise<string> {
  const names = (pod.spec?.volumes ?? []).flatMap(
    ({ persistentVolumeClaim: claim }) => claim?.claimName ?? [],
  );
  if (!/PersistentVolume|volume node affinity|persistentvolumeclaim/i.test(said)) return said;
  for (const name of names) {
    const events = await eventsOfClaim(pod.metadata?.namespace ?? '', name);
    const why = events.findLast((message) => !CLAIM_NOISE.test(message));
    if (why !== undefined) return `its volume's claim '${name}' is pending: ${why}`;
  }
  return said;
}

/** While the kubelet waits for its next try, older ones say nothing of why the last one failed. */
async function ofImage(pod: V1Pod, said: string, { eventsOf }: StoreInquiry): Promise<string> {
  const last = (await eventsOf(pod)).findLast((message) => /failed to pull image/i.test(message));
  return last ?? said;
}
