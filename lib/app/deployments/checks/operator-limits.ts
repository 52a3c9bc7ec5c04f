import { computeKinds } from '../../../compute/kinds.ts';
import { resourceSpec } from '../../../contract/deployments/resource-spec.ts';
import { refuse } from '../../../contract/errors.ts';
import { kubernetesConfig } from '../../../contract/kubernetes-config.ts';
import { ownAddress } from '../../../contract/validation/text.ts';
import type { DeploymentConfig, Listener } from '../../../core/items/items.ts';
import { operatorProblems } from '../../../domain/kubernetes/allowed.ts';

/**
 * Refuses what the operator of a cluster does not allow there. It is asked of what the next revision would
 * run: what was taken before the operator said so runs on, and is refused when it would be started anew.
 */
export function checkOperatorLimits(
  { compute_type: type, compute_id: computeId, compute_config: config }: Listener,
  asked: Pick<DeploymentConfig, 'resource_spec' | 'custom_url'>,
): void {
  if (!computeKinds[type].isCluster) return;
  const spec = resourceSpec.safeParse(asked.resource_spec).data ?? {};
  const problems = operatorProblems(spec, ownAddress(asked.custom_url), kubernetesConfig.parse(config));
  if (problems.length === 0) return;
  const said = problems.map(({ field, reason }) => `'source_config.${field}': ${reason}.`).join(' ');
  throw refuse('source_configuration', {
    reason: `listener ${computeId} does not allow this. ${said} Its operator decides, with the listener's compute_config.`,
  });
}
