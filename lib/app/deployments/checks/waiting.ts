import { refuse } from '../../../contract/errors.ts';
import { countWaiting } from '../../../core/items/deployment-rows.ts';
import type { Deployment } from '../../../core/items/items.ts';
import type { LimitDeps } from '../../../core/limits.ts';

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
