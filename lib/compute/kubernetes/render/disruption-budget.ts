import type { V1PodDisruptionBudget } from '@kubernetes/client-node';
import { baseNameOf, type RenderContext, type ServerSpec } from './context.ts';
import { metadataOf, podSelector } from './metadata.ts';
import { queueName, setName } from './names.ts';
import type { Role } from './pod.ts';
import type { Scale } from './resources.ts';

/** Lets nodes be emptied one pod at a time. A single pod has none: it would keep its node from being emptied. */
export function renderDisruptionBudget(
  spec: ServerSpec,
  context: RenderContext,
  { key, role, scale }: { key: string; role: Role; scale: Scale },
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
