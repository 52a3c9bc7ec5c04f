import type { Table } from '../store/table.ts';
import type { Deps } from './deps.ts';
import { findLastSeen } from './items/listeners.ts';
import { managedListenerId } from './items/managed.ts';

/** A listener that asked for work within this time is ONLINE: several of its slowest polls fit in. */
export const ONLINE_MILLISECONDS = 90_000;

export const isOnline = (lastSeenAt: number | undefined, now: number): boolean =>
  lastSeenAt !== undefined && now - lastSeenAt < ONLINE_MILLISECONDS;

/** When listeners were seen, as far as this process has read it. */
const sightings = new WeakMap<Table, Map<string, number>>();
/** More listeners than this have one process that answers for all of them forget some. */
const SIGHTINGS_MAX = 10_000;

/**
 * Whether a listener is online. A sighting proves that for its whole time, and later ones only prolong it, so
 * the answer is exact though the item is read again only when the sighting known here is over: clients poll
 * deployments far more often than that. The managed one is a part of the installation: it is there while that
 * is.
 */
export async function isListenerOnline(
  { table, clock }: Pick<Deps, 'table' | 'clock'>,
  tenantId: string,
  listenerId: string,
): Promise<boolean> {
  if (listenerId === managedListenerId(tenantId)) return true;
  const known = sightings.get(table) ?? new Map<string, number>();
  sightings.set(table, known);
  const id = `${tenantId} ${listenerId}`;
  if (isOnline(known.get(id), clock.now())) return true;
  const lastSeenAt = await findLastSeen(table, tenantId, listenerId);
  if (lastSeenAt !== undefined) {
    if (known.size >= SIGHTINGS_MAX) known.clear();
    known.set(id, lastSeenAt);
  }
  return isOnline(lastSeenAt, clock.now());
}
