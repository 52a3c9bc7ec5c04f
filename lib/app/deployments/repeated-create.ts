import { isDeepStrictEqual } from 'node:util';
import type { Secret } from '../../contract/deployments/secrets.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { findDeployment } from '../../core/items/deployments.ts';
import type { Deployment } from '../../core/items/items.ts';
import type { NameReservation } from '../../core/items/names.ts';
import { openDeploymentSecrets } from '../../core/secrets.ts';

/**
 * Old clients send a create again when the connection drops, without an Idempotency-Key; they do so within
 * this time.
 */
const REPEATED_WITHIN_MILLISECONDS = 120_000;
/** The version of the secrets that a create stores. */
const FIRST_VERSION = 1;

/**
 * The deployment that this very request made a moment ago; undefined when the name is taken by anything else.
 */
export async function repeatedCreate(
  deps: Pick<Deps, 'table' | 'clock' | 'keys'>,
  reservation: NameReservation | undefined,
  requestHash: string,
  secrets: Secret[],
  caller: Caller,
): Promise<Deployment | undefined> {
  if (reservation === undefined) return undefined;
  const ageMilliseconds = deps.clock.now() - Date.parse(reservation.created_at);
  const alike = reservation.created_by === caller.userId && reservation.request_hash === requestHash;
  if (!alike || ageMilliseconds > REPEATED_WITHIN_MILLISECONDS) return undefined;
  const deployment = await findDeployment(deps.table, caller.tenantId, reservation.deployment_id);
  if (deployment === undefined || deployment.status === 'AWAITING_DELETE') return undefined;
  const owner = { tenantId: caller.tenantId, deploymentId: deployment.id };
  // The secrets as created: the deployment may have changed since. The hash has shown that the names are the
  // same.
  const stored = await openDeploymentSecrets(deps, owner, secrets.length > 0 ? FIRST_VERSION : undefined);
  return isDeepStrictEqual(stored, secrets) ? deployment : undefined;
}
