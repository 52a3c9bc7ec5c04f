import { computeKinds } from '../../../compute/kinds.ts';
import { type ResourceSpec, resourceSpec } from '../../../contract/deployments/resource-spec.ts';
import { ValidationError } from '../../../contract/errors.ts';
import type { Listener } from '../../../core/items/items.ts';
import { specItems } from '../../../domain/kubernetes/resource-spec.ts';

/**
 * Refuses what a cluster would refuse of a `resource_spec`, where it goes to one: on other listeners these
 * fields mean nothing. What is stored already is taken when it is sent back.
 */
export function checkClusterNames(
  { compute_type: type }: Pick<Listener, 'compute_type'>,
  asked: ResourceSpec | undefined,
  stored: Readonly<Record<string, unknown>> | undefined,
): void {
  if (!computeKinds[type].isCluster || asked === undefined) return;
  const items = specItems(asked, resourceSpec.safeParse(stored).data);
  if (items.length > 0) throw new ValidationError(items);
}
