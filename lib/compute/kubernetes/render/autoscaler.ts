import type { V2HorizontalPodAutoscaler, V2MetricTarget } from '@kubernetes/client-node';
import { baseNameOf, type RenderContext, type ServerSpec } from './context.ts';
import { metadataOf } from './metadata.ts';
import { queueName, setName } from './names.ts';
import type { Role } from './pod.ts';
import { requirementsOf, resourcesOf, type Scale, serverRequirements } from './resources.ts';

const BUSY_PERCENT = 80;

/** A share of what the container asks for; of one processor where it asks for nothing. */
function targetOf(spec: ServerSpec, role: Role): V2MetricTarget {
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
export function renderAutoscaler(
  spec: ServerSpec,
  context: RenderContext,
  { key, role, scale }: { key: string; role: Role; scale: Scale },
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
