import { createMask } from '../../contract/mask.ts';
import type { Revision } from '../../store/engine/items.ts';
import type { Deps } from '../deps.ts';
import { secretValues } from '../secrets.ts';

/**
 * Why a person wants something of a revision, as it is kept: without the revision's secrets. None if nothing
 * is said.
 */
export async function reasonOf(
  deps: Pick<Deps, 'table' | 'keys'>,
  { tenant_id: tenantId, deployment_id: deploymentId, secrets }: Revision,
  { reason = '' }: { reason?: string | undefined } = {},
): Promise<{ reason: string } | undefined> {
  const said = reason.trim();
  if (said === '') return undefined;
  const mask = createMask(await secretValues(deps, { tenantId, deploymentId }, secrets));
  return { reason: mask(said) };
}
