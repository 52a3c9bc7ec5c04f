import { type ApiError, refuse } from '../../../contract/errors.ts';
import type { Deps } from '../../../core/deps.ts';
import { claimInTheWay, hostOf } from '../../../core/items/hosts.ts';
import type { Deployment } from '../../../core/items/items.ts';
import type { ConditionsFailed } from '../../../store/dynamodb/transact.ts';
import { describePendingDeletion } from './pending-deletion.ts';

/**
 * The refusal of a transaction that failed because another deployment has the host; undefined when something
 * else did.
 */
export async function hostTaken(
  deps: Pick<Deps, 'table'>,
  failed: ConditionsFailed['failed'],
  claimant: Pick<Deployment, 'config'>,
): Promise<ApiError | undefined> {
  const taken = claimInTheWay(failed);
  const host = hostOf(claimant);
  if (taken === undefined || host === undefined) return undefined;
  return refuse('host_taken', {
    host,
    deploymentId: taken.deployment_id,
    pendingDeletion: await describePendingDeletion(deps, taken),
  });
}
