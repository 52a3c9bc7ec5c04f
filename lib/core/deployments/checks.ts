import { refuse } from '../../contract/errors.ts';
import { countWaiting } from '../items/deployment-rows.ts';
import type { Deployment } from '../items/items.ts';
import type { LimitDeps } from '../limits.ts';

/** More would only wait; the item that holds the queue stays small. */
export const QUEUE_LENGTH_MAX = 100;

/** Nothing is written to a deployment that is being deleted. */
export function checkOpen(deployment: Deployment): void {
  if (deployment.status === 'AWAITING_DELETE') {
    throw refuse('state_forbids', {
      reason: `Deployment ${deployment.id} is being deleted (AWAITING_DELETE).`,
    });
  }
}

export function checkQueue(deployment: Deployment): void {
  if (deployment.queued.length >= QUEUE_LENGTH_MAX) throw refuse('queue_full', { limit: QUEUE_LENGTH_MAX });
}

/** Of an `ETag`: the count, and a hash of what was shown, which changes without the configuration. */
const TAG = /^"(\d+)(?:\.[\w-]*)?"$/;

/** `If-Match` holds for any of the versions it lists, or for every version with `*`. */
export function checkMatch(deployment: Deployment, ifMatch: string | undefined): void {
  if (ifMatch === undefined) return;
  const current = String(deployment.config_version);
  const asked = ifMatch.split(',').map((tag) => tag.trim());
  if (!asked.some((tag) => tag === '*' || TAG.exec(tag)?.[1] === current)) {
    throw refuse('version_mismatch', { asked: ifMatch, current: `"${current}"` });
  }
}

/**
 * Demands that fewer revisions of the tenant wait than may, where one more would wait: what begins at once is
 * never refused. Requests at the same moment may pass together. Throws `waiting_full`.
 */
export async function checkWaiting(
  { table, settings }: Pick<LimitDeps, 'table' | 'settings'>,
  { tenant_id: tenantId, slot, queued }: Deployment,
): Promise<void> {
  if (slot === undefined && queued.length === 0) return;
  const limit = settings.limits.waitingRevisions;
  const count = await countWaiting(table, tenantId);
  if (count >= limit) throw refuse('waiting_full', { count, limit });
}
