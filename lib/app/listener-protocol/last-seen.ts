import { update } from '../../store/expressions.ts';
import { lastSeenKey } from '../../store/keys.ts';
import { findLastSeen } from '../../store/listeners.ts';
import { transact } from '../../store/operations.ts';
import type { Deps } from '../deps.ts';

/** A sign of life is written at most this often: well within what counts as ONLINE, and a poll a second costs no write. */
const WRITTEN_EVERY_MILLISECONDS = 20_000;

/** Notes that a listener called. Its own item, so that it never contends with anything. */
export async function noteSeen(
  deps: Pick<Deps, 'table' | 'clock'>,
  tenantId: string,
  listenerId: string,
): Promise<void> {
  const now = deps.clock.now();
  const seen = await findLastSeen(deps.table, tenantId, listenerId);
  if (seen !== undefined && now - seen < WRITTEN_EVERY_MILLISECONDS) return;
  const set = { v: 1, entity: 'last_seen', tenant_id: tenantId, at: now };
  await transact(deps.table, [update('last_seen', lastSeenKey(tenantId, listenerId), { set })]);
}
