import type { Deps } from '../../../core/deps.ts';
import type { Deployment } from '../../../core/items/items.ts';
import { findRevisionByNumber } from '../../../core/items/revisions.ts';
import { nothingToBuild } from '../../../domain/source.ts';

/**
 * The deployment with the source that a request takes over which names none: that of its latest revision, or,
 * when that one had nothing to build, of the nearest before it that was not SKIPPED.
 */
export async function withSettledSource(
  { table }: Pick<Deps, 'table'>,
  deployment: Deployment,
): Promise<Deployment> {
  const { config, revision_source: kind, revision_config: fields } = deployment;
  if (nothingToBuild(kind, { ...config, ...fields }) === undefined) return deployment;
  const owner = { tenantId: deployment.tenant_id, deploymentId: deployment.id };
  for (let number = deployment.latest_number; number > 0; number--) {
    const revision = await findRevisionByNumber(table, owner, number);
    if (revision === undefined || revision.status === 'SKIPPED') continue;
    const { source, revision_config } = revision;
    return { ...deployment, revision_source: source, revision_config };
  }
  return deployment;
}
