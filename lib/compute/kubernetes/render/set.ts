import { createHash } from 'node:crypto';
import type {
  V1Deployment,
  V1PodDisruptionBudget,
  V1Secret,
  V1Service,
  V2HorizontalPodAutoscaler,
  V2MetricTarget,
} from '@kubernetes/client-node';
import { baseNameOf, type RenderContext, type ServerSpec, startTimeoutSecondsOf } from './context.ts';
import { environmentNotes, secretData } from './environment.ts';
import { metadataOf, ownLabels, podSelector, revisionAnnotations, textsOf } from './metadata.ts';
import { annotations, queueName, setName } from './names.ts';
import { podTemplate, type ServerRole } from './pod.ts';
import {
  coreNotes,
  requirementsOf,
  resourcesOf,
  type Scale,
  scaleOf,
  serverRequirements,
} from './resources.ts';
import { renderTrialService } from './service.ts';

/** The objects that run one content of a deployment; `notes` are for its deploy log. */
export type RenderedSet = {
  key: string;
  deployment: V1Deployment;
  queue?: V1Deployment;
  secret: V1Secret;
  trialService: V1Service;
  autoscaler?: V2HorizontalPodAutoscaler;
  queueAutoscaler?: V2HorizontalPodAutoscaler;
  disruptionBudget?: V1PodDisruptionBudget;
  queueDisruptionBudget?: V1PodDisruptionBudget;
  notes: string[];
};

function queuePart(spec: ServerSpec, context: RenderContext, key: string) {
  if (spec.queue !== true) return {};
  const scale = scaleOf(resourcesOf(spec), 'queue_');
  const part = { key, role: 'queue', scale } as const;
  const queueAutoscaler = renderAutoscaler(spec, context, part);
  const queueDisruptionBudget = renderDisruptionBudget(spec, context, part);
  return {
    queue: renderDeployment(spec, context, { key, role: 'queue', replicas: scale.min }),
    ...(queueAutoscaler !== undefined && { queueAutoscaler }),
    ...(queueDisruptionBudget !== undefined && { queueDisruptionBudget }),
  };
}

function renderUnder(key: string, spec: ServerSpec, context: RenderContext, wanted: number): RenderedSet {
  const resources = resourcesOf(spec);
  const part = { key, role: 'server', scale: scaleOf(resources) } as const;
  const autoscaler = renderAutoscaler(spec, context, part);
  const disruptionBudget = renderDisruptionBudget(spec, context, part);
  return {
    key,
    deployment: renderDeployment(spec, context, { key, role: 'server', replicas: wanted }),
    secret: renderSecret(spec, context, key),
    trialService: renderTrialService(spec, context, key),
    ...(autoscaler !== undefined && { autoscaler }),
    ...(disruptionBudget !== undefined && { disruptionBudget }),
    ...queuePart(spec, context, key),
    notes: [...environmentNotes(spec), ...coreNotes(resources)],
  };
}

/** JSON with the keys of objects in order: what is read from a store may come in any. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );

const KEY_LENGTH = 8;
const NOBODY = '00000000-0000-0000-0000-000000000000';
const neutral = {
  deployment_id: NOBODY,
  deployment_name: 'deployment',
  tenant_id: NOBODY,
  revision_id: NOBODY,
  epoch: 0,
};

/**
 * 8 hex digits of what a set is: all that is rendered for it but names, ids, the epoch and how many run now.
 * Equal content has an equal key, so that a set that is there is found again. `salt` makes another one: a
 * restart.
 */
export function setKey(spec: ServerSpec, context: RenderContext, salt?: string): string {
  const { pullSecret: _, ...place } = context;
  const nowhere = { ...place, listenerId: NOBODY, namespace: 'namespace', told: [] };
  const { notes: __, ...rendered } = renderUnder('', { ...spec, ...neutral }, nowhere, 1);
  const resources = resourcesOf(spec);
  const scales = [scaleOf(resources), spec.queue === true ? scaleOf(resources, 'queue_') : null];
  const content = canonical([rendered, scales, salt ?? null]);
  return createHash('sha256').update(content).digest('hex').slice(0, KEY_LENGTH);
}

/** The set of a spec, with `wanted` servers. */
export const renderSet = (
  spec: ServerSpec,
  context: RenderContext,
  wanted: number,
  salt?: string,
): RenderedSet => renderUnder(setKey(spec, context, salt), spec, context, wanted);

/** The Deployment of one role of a set. A set never changes, so that nothing rolls but what a node lost. */
function renderDeployment(
  spec: ServerSpec,
  context: RenderContext,
  { key, role, replicas }: { key: string; role: ServerRole; replicas: number },
): V1Deployment {
  const resources = resourcesOf(spec);
  const part = { set: key, component: role };
  const nameOf = role === 'server' ? setName : queueName;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: nameOf(baseNameOf(spec), key),
      namespace: context.namespace,
      labels: { ...textsOf(resources.labels), ...ownLabels(spec, context, part) },
      annotations: {
        ...textsOf(resources.annotations),
        ...revisionAnnotations(spec),
        [annotations.grace]: String(context.graceSeconds),
      },
    },
    spec: {
      replicas,
      revisionHistoryLimit: 0,
      progressDeadlineSeconds: startTimeoutSecondsOf(spec, context),
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      selector: { matchLabels: podSelector(spec, part) },
      template: podTemplate(spec, context, key, role),
    },
  };
}

/** Lets nodes be emptied one pod at a time. A single pod has none: it would keep its node from being emptied. */
function renderDisruptionBudget(
  spec: ServerSpec,
  context: RenderContext,
  { key, role, scale }: { key: string; role: ServerRole; scale: Scale },
): V1PodDisruptionBudget | undefined {
  if (scale.min < 2) return undefined;
  const part = { set: key, component: role };
  const name = (role === 'server' ? setName : queueName)(baseNameOf(spec), key);
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metadataOf(name, spec, context, part),
    spec: { maxUnavailable: 1, selector: { matchLabels: podSelector(spec, part) } },
  };
}

/** The environment of a set. It never changes: other values make another set. */
function renderSecret(spec: ServerSpec, context: RenderContext, key: string): V1Secret {
  const data = secretData(spec);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metadataOf(setName(baseNameOf(spec), key), spec, context, { set: key }),
    type: 'Opaque',
    immutable: true,
    // The API server takes an empty one for a change of what has none.
    ...(Object.keys(data).length > 0 && { data }),
  };
}

const BUSY_PERCENT = 80;

/** A share of what the container asks for; of one processor where it asks for nothing. */
function targetOf(spec: ServerSpec, role: ServerRole): V2MetricTarget {
  const resources = resourcesOf(spec);
  const required = role === 'server' ? serverRequirements(resources) : requirementsOf(resources, 'queue_');
  return required?.requests?.cpu === undefined
    ? { type: 'AverageValue', averageValue: `${BUSY_PERCENT * 10}m` }
    : { type: 'Utilization', averageUtilization: BUSY_PERCENT };
}

/**
 * Scales one role of a set; nothing where its scale is one number. It measures the role's own container: a
 * sidecar that asks for no processor would leave a measure of the whole pod without a value.
 */
function renderAutoscaler(
  spec: ServerSpec,
  context: RenderContext,
  { key, role, scale }: { key: string; role: ServerRole; scale: Scale },
): V2HorizontalPodAutoscaler | undefined {
  if (scale.max <= scale.min) return undefined;
  const name = (role === 'server' ? setName : queueName)(baseNameOf(spec), key);
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: metadataOf(name, spec, context, { set: key, component: role }),
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      minReplicas: scale.min,
      maxReplicas: scale.max,
      metrics: [
        {
          type: 'ContainerResource',
          containerResource: { name: 'cpu', container: role, target: targetOf(spec, role) },
        },
      ],
    },
  };
}
