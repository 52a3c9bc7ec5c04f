import type { V1ContainerStatus, V1Deployment, V1Pod } from '@kubernetes/client-node';
import { type AgentFailure, HEALTH_PATH, mayPass } from '../../domain/agent-failure.ts';
import { megabytesOf, quantityOf } from './quantities.ts';
import { refusalOf } from './refusals.ts';
import { SERVER_PORT } from './render/environment.ts';

/** What only the API server knows of a pod. */
export type Inquiry = {
  /** The last lines that a container wrote before it ended. */
  lastWords: (pod: V1Pod, container: string) => Promise<string[]>;
  /** What the kubelet says of a pod, the newest last. */
  eventsOf: (pod: V1Pod) => Promise<string[]>;
};

/** A server that ended once may have missed something that comes up beside it. */
const ENDS_MAX = 2;

/**
 * Why servers of a set are missing: what the cluster refuses for good, else the first of its pods that is in
 * trouble, else why there is none.
 */
export async function failureOf(
  pods: readonly V1Pod[],
  deployment: V1Deployment | undefined,
  inquiry: Inquiry,
): Promise<AgentFailure | undefined> {
  const refusal = deployment === undefined ? undefined : refusalOf(deployment);
  if (refusal !== undefined && !mayPass(refusal)) return refusal;
  for (const pod of pods) {
    const found =
      failureAtRest(pod) ?? (await ofPullEvents(pod, inquiry)) ?? (await failureOfRun(pod, inquiry));
    if (found !== undefined) return found;
  }
  return refusal;
}

/** What the status of the pod tells alone. */
function failureAtRest(pod: V1Pod): AgentFailure | undefined {
  const unplaced = pod.status?.conditions?.find(
    ({ type, status, reason }) => type === 'PodScheduled' && status === 'False' && reason === 'Unschedulable',
  );
  if (unplaced !== undefined) return noCapacity(pod, unplaced.message ?? '');
  for (const status of statusesOf(pod)) {
    const found = ofImage(pod, status) ?? ofSecret(pod, status) ?? ofMemory(pod, status);
    if (found !== undefined) return found;
  }
  return undefined;
}

const statusesOf = ({ status }: V1Pod): V1ContainerStatus[] => [
  ...(status?.initContainerStatuses ?? []),
  ...(status?.containerStatuses ?? []),
];

function noCapacity(pod: V1Pod, said: string): AgentFailure {
  const requests = (pod.spec?.containers ?? []).map(({ resources }) => resources?.requests ?? {});
  const sum = (name: 'cpu' | 'memory', unit: (quantity: string) => number) =>
    requests.reduce((total, each) => total + unit(each[name] ?? '0'), 0);
  return {
    kind: 'no_capacity',
    cpu: sum('cpu', (quantity) => quantityOf(quantity) ?? 0),
    memoryMb: sum('memory', megabytesOf),
    said,
  };
}

const IMAGE_REASONS = new Set(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull']);

function ofImage(pod: V1Pod, { image, state }: V1ContainerStatus): AgentFailure | undefined {
  const { reason = '', message = '' } = state?.waiting ?? {};
  if (!IMAGE_REASONS.has(reason)) return undefined;
  if (isLimit(message)) return pullLimit(pod, image, message);
  if (/no match for platform|does not match the specified platform/i.test(message)) {
    const [, ...after] = message.split(/platform in manifest/i);
    const wanted = /\blinux\/\w+/i.exec(after.join(' '))?.[0] ?? 'the nodes of the cluster';
    return { kind: 'image_platform', image, found: 'another platform', wanted };
  }
  if (/unauthorized|authentication required|denied|forbidden|\b40[13]\b/i.test(message)) {
    return { kind: 'registry_access', image, pullSecrets: pullSecretsOf(pod) };
  }
  if (reason === 'InvalidImageName' || /not found|manifest unknown|no such image|\b404\b/i.test(message))
    return { kind: 'image_missing', image };
  return undefined;
}

const pullSecretsOf = ({ spec }: V1Pod): string[] =>
  (spec?.imagePullSecrets ?? []).flatMap(({ name }) => name ?? []);

/** A registry that has handed out enough says so, in words which all of them share. */
const isLimit = (message: string): boolean => /toomanyrequests|\b429\b/i.test(message);

const pullLimit = (pod: V1Pod, image: string, said: string): AgentFailure => ({
  kind: 'pull_limit',
  image,
  said,
  pullSecrets: pullSecretsOf(pod),
});

/** While the kubelet waits for its next try, older ones say nothing of why the last one failed. */
async function ofPullEvents(pod: V1Pod, { eventsOf }: Inquiry): Promise<AgentFailure | undefined> {
  const waiting = statusesOf(pod).find(({ state }) => IMAGE_REASONS.has(state?.waiting?.reason ?? ''));
  if (waiting === undefined) return undefined;
  const said = (await eventsOf(pod)).findLast((message) => /failed to pull image/i.test(message));
  return said !== undefined && isLimit(said) ? pullLimit(pod, waiting.image, said) : undefined;
}

function ofSecret(pod: V1Pod, { name, state }: V1ContainerStatus): AgentFailure | undefined {
  const { reason, message = '' } = state?.waiting ?? {};
  if (reason !== 'CreateContainerConfigError') return undefined;
  const [, absent] = /secret "([^"]+)" not found/i.exec(message) ?? [];
  const [, key, holder] = /couldn't find key (\S+) in Secret (?:\S+\/)?(\S+)/i.exec(message) ?? [];
  const secret = absent ?? holder;
  if (secret === undefined) return undefined;
  const container = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].find(
    (each) => each.name === name,
  );
  const reference = container?.env?.find(({ valueFrom }) => {
    const wanted = valueFrom?.secretKeyRef;
    return wanted?.name === secret && (key === undefined || wanted.key === key);
  });
  const secretKey = reference?.valueFrom?.secretKeyRef?.key ?? key ?? '';
  return { kind: 'secret_missing', variable: reference?.name ?? '', secret, secretKey };
}

function ofMemory(pod: V1Pod, { name, state, lastState }: V1ContainerStatus): AgentFailure | undefined {
  const ended = state?.terminated ?? lastState?.terminated;
  if (ended?.reason !== 'OOMKilled') return undefined;
  const limit = pod.spec?.containers.find((each) => each.name === name)?.resources?.limits?.memory;
  return {
    kind: 'out_of_memory',
    limitField: 'memory_limit_mb',
    limitMb: limit === undefined ? 0 : megabytesOf(limit),
  };
}

/** What has to be asked for: the output of what ended, the answers of what runs. */
async function failureOfRun(pod: V1Pod, inquiry: Inquiry): Promise<AgentFailure | undefined> {
  for (const { name, state, lastState, restartCount } of statusesOf(pod)) {
    const ended = state?.terminated ?? lastState?.terminated;
    if (ended === undefined || ended.exitCode === 0 || restartCount < ENDS_MAX) continue;
    const output = await inquiry.lastWords(pod, name);
    return { kind: 'exited', exitCode: ended.exitCode, times: restartCount, output };
  }
  const isReady = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
  if (isReady === true || pod.status?.phase !== 'Running') return undefined;
  return ofAnswers(pod, await inquiry.eventsOf(pod));
}

/** By the path that the pod itself is asked at. */
function ofAnswers({ spec }: V1Pod, events: readonly string[]): AgentFailure | undefined {
  const last = events.findLast((message) => /(?:Readiness|Startup) probe failed/i.test(message));
  if (last === undefined) return undefined;
  const [, status] = /statuscode: (\d+)/i.exec(last) ?? [];
  const asked = spec?.containers.find(({ startupProbe }) => startupProbe !== undefined)?.startupProbe;
  const path = asked === undefined ? HEALTH_PATH : asked.httpGet?.path;
  return status === undefined
    ? { kind: 'ok_silent', port: SERVER_PORT, path }
    : { kind: 'ok_status', status: Number(status), path: path ?? HEALTH_PATH };
}
