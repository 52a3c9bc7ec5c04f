import { createHash } from 'node:crypto';
import type {
  V1Deployment,
  V1PodDisruptionBudget,
  V1Secret,
  V1Service,
  V2HorizontalPodAutoscaler,
} from '@kubernetes/client-node';
import { renderAutoscaler } from './autoscaler.ts';
import type { RenderContext, ServerSpec } from './context.ts';
import { renderDeployment } from './deployment.ts';
import { renderDisruptionBudget } from './disruption-budget.ts';
import { environmentNotes } from './environment.ts';
import { coreNotes, resourcesOf, scaleOf } from './resources.ts';
import { renderSecret } from './secret.ts';
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
  const nowhere = { ...place, listenerId: NOBODY, namespace: 'namespace' };
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
