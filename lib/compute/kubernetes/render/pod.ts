import type {
  V1Affinity,
  V1Container,
  V1EnvVar,
  V1NodeSelectorTerm,
  V1PodSpec,
  V1PodTemplateSpec,
  V1Probe,
} from '@kubernetes/client-node';
import type { ResourceSpec } from '../../../contract/deployments/resource-spec.ts';
import { podSecurityOf } from '../../../contract/pod-security.ts';
import { execLine } from '../../../contract/shell-line.ts';
import { HEALTH_PATH } from '../../../domain/agent-failure.ts';
import {
  containerSecurity,
  renderInitContainers,
  renderMounts,
  renderSidecars,
  renderVolumes,
} from './containers.ts';
import { baseNameOf, type RenderContext, type ServerSpec, startTimeoutSecondsOf } from './context.ts';
import { environmentOf, SERVER_PORT, toldOf } from './environment.ts';
import { ownLabels, textsOf } from './metadata.ts';
import { setName } from './names.ts';
import { accountNameOf, requirementsOf, resourcesOf, serverRequirements } from './resources.ts';

/** A pod that stops serves on for so long: its address leaves every proxy's list first. */
const PRE_STOP_SECONDS = 5;

const STARTUP_PERIOD_SECONDS = 2;
const READY_PERIOD_SECONDS = 5;
const PROBE_TIMEOUT_SECONDS = 5;
const READY_FAILURES_MAX = 3;

/** A container that runs the image; `queue` are the workers of a server of `langgraph.json`. */
export type ServerRole = 'server' | 'queue';

/**
 * What says that a container is ready: a good status at the path that the deployment names, or at the one
 * that agent servers have. Any other server need only listen.
 */
function healthOf({ health_check: given, server }: ServerSpec, role: ServerRole): V1Probe {
  const path =
    (role === 'server' ? given?.path : undefined) ?? (server === 'other' ? undefined : HEALTH_PATH);
  return {
    ...(path === undefined ? { tcpSocket: { port: SERVER_PORT } } : { httpGet: { path, port: SERVER_PORT } }),
    timeoutSeconds: PROBE_TIMEOUT_SECONDS,
  };
}

/** No liveness probe: a server that is busy for long would be killed with all its runs. */
function probes(
  spec: ServerSpec,
  context: RenderContext,
  role: ServerRole,
): { startupProbe: V1Probe; readinessProbe: V1Probe } {
  const health = healthOf(spec, role);
  return {
    startupProbe: {
      ...health,
      periodSeconds: STARTUP_PERIOD_SECONDS,
      failureThreshold: Math.ceil(startTimeoutSecondsOf(spec, context) / STARTUP_PERIOD_SECONDS),
    },
    readinessProbe: { ...health, periodSeconds: READY_PERIOD_SECONDS, failureThreshold: READY_FAILURES_MAX },
  };
}

function imageOf({ artifact, revision_id }: ServerSpec): string {
  if (artifact.kind === 'image') return artifact.uri;
  throw new Error(`revision ${revision_id} is a ${artifact.kind}: a cluster runs images`);
}

/** With workers apart, the API server runs no jobs itself. */
const NO_JOBS: V1EnvVar[] = [{ name: 'N_JOBS_PER_WORKER', value: '0' }];
const QUEUE_COMMAND = ['python', '-m', 'langgraph_api.queue_entrypoint'];

type Roled = Pick<V1Container, 'command' | 'env' | 'lifecycle' | 'resources'>;

function serverPart(spec: ServerSpec, context: RenderContext, secretName: string): Roled {
  const required = serverRequirements(resourcesOf(spec));
  const line = spec.start_command || undefined;
  return {
    ...(line !== undefined && { command: ['sh', '-c', execLine(line)] }),
    env: environmentOf(spec, secretName, context.told ?? toldOf(spec), spec.queue === true ? NO_JOBS : []),
    lifecycle: { preStop: { sleep: { seconds: PRE_STOP_SECONDS } } },
    ...(required !== undefined && { resources: required }),
  };
}

/** Workers have no address that would have to go first. */
function queuePart(spec: ServerSpec, context: RenderContext, secretName: string): Roled {
  const required = requirementsOf(resourcesOf(spec), 'queue_');
  return {
    command: QUEUE_COMMAND,
    env: environmentOf(spec, secretName, context.told ?? toldOf(spec)),
    ...(required !== undefined && { resources: required }),
  };
}

function mainContainer(spec: ServerSpec, context: RenderContext, key: string, role: ServerRole): V1Container {
  const resources = resourcesOf(spec);
  const partOf = role === 'server' ? serverPart : queuePart;
  return {
    name: role,
    image: imageOf(spec),
    ports: [{ name: 'http', containerPort: SERVER_PORT }],
    ...partOf(spec, context, setName(baseNameOf(spec), key)),
    ...probes(spec, context, role),
    ...(resources.volume_mounts !== undefined && { volumeMounts: renderMounts(resources.volume_mounts) }),
    securityContext: containerSecurity(context),
  };
}

/** The account of the deployment's own, or ours, whose token nobody needs. */
const accountOf = (spec: ServerSpec, given: string | undefined) =>
  given === undefined
    ? { serviceAccountName: baseNameOf(spec), automountServiceAccountToken: false }
    : { serviceAccountName: given };

const pullSecrets = (
  { image_pull_secrets = [] }: ResourceSpec,
  { pullSecret, computeConfig }: RenderContext,
) => {
  const ours = pullSecret === undefined || computeConfig.image_pull === 'node' ? [] : [pullSecret];
  return [...new Set([...image_pull_secrets.map(({ name }) => name), ...ours])].map((name) => ({ name }));
};

function podSpec(spec: ServerSpec, context: RenderContext, key: string, role: ServerRole): V1PodSpec {
  const resources = resourcesOf(spec);
  const initContainers = renderInitContainers(resources, context);
  const volumes = renderVolumes(resources);
  const imagePullSecrets = pullSecrets(resources, context);
  const affinity = affinityOf(spec);
  return {
    ...accountOf(spec, accountNameOf(resources)),
    // Variables such as REDIS_PORT for every Service of the namespace would reach servers that read them.
    enableServiceLinks: false,
    securityContext: {
      seccompProfile: { type: 'RuntimeDefault' },
      ...(podSecurityOf(context.computeConfig) === 'restricted' && { runAsNonRoot: true }),
    },
    terminationGracePeriodSeconds: context.graceSeconds + PRE_STOP_SECONDS,
    ...(affinity !== undefined && { affinity }),
    ...(imagePullSecrets.length > 0 && { imagePullSecrets }),
    ...(volumes.length > 0 && { volumes }),
    ...(initContainers.length > 0 && { initContainers }),
    containers: [mainContainer(spec, context, key, role), ...renderSidecars(resources, context)],
  };
}

/** The pods of a set that run the image. */
export function podTemplate(
  spec: ServerSpec,
  context: RenderContext,
  key: string,
  role: ServerRole,
): V1PodTemplateSpec {
  const resources = resourcesOf(spec);
  const given = textsOf(resources.annotations);
  return {
    metadata: {
      labels: { ...textsOf(resources.labels), ...ownLabels(spec, context, { set: key, component: role }) },
      ...(Object.keys(given).length > 0 && { annotations: given }),
    },
    spec: podSpec(spec, context, key, role),
  };
}

/** Labels that every kubelet gives its node. */
const OS = 'kubernetes.io/os';
const ARCHITECTURE = 'kubernetes.io/arch';

/** `linux/arm64/v8` has the architecture arm64: nodes say nothing of its version. */
function nodesOf(platform: string): V1NodeSelectorTerm {
  const [os = '', architecture = ''] = platform.split('/');
  const is = (key: string, value: string) => ({ key, operator: 'In', values: [value] });
  return { matchExpressions: [is(OS, os), is(ARCHITECTURE, architecture)] };
}

/** Only nodes of a kind that the image was built for, where that is known; of any other image nobody knows. */
function affinityOf({ artifact }: Pick<ServerSpec, 'artifact'>): V1Affinity | undefined {
  const platforms = artifact.kind === 'image' ? (artifact.platforms ?? []) : [];
  if (platforms.length === 0) return undefined;
  const nodeSelectorTerms = platforms.map(nodesOf);
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
}
