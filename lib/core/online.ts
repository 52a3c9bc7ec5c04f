import type { Table } from '../store/table.ts';
import type { Deps } from './deps.ts';
import { findSeen, type LastSeen } from './items/listeners.ts';
import { managedListenerId } from './items/managed.ts';

/**
 * A listener that is to ask again within seconds is ONLINE so long after it asked: several of its slowest
 * polls fit in. One that was told to ask later, for a doorbell rings for it, is ONLINE that much longer.
 */
export const ONLINE_MILLISECONDS = 90_000;

/** When a listener last asked, and how much later it asks again where that is not within seconds. */
export type Sighting = Pick<LastSeen, 'at' | 'next_seconds'>;

/** Up to when a listener has to be heard again, in epoch milliseconds, for its silence to mean nothing. */
export const expectedAt = ({ at, next_seconds = 0 }: Sighting): number => at + next_seconds * 1000;

export const onlineUntil = (seen: Sighting): number => expectedAt(seen) + ONLINE_MILLISECONDS;

export const isOnline = (seen: Sighting | undefined, now: number): boolean =>
  seen !== undefined && now < onlineUntil(seen);

/** Up to when listeners are online, as far as this process has read it. */
const sightings = new WeakMap<Table, Map<string, number>>();
/** More listeners than this have one process that answers for all of them forget some. */
const SIGHTINGS_MAX = 10_000;

/**
 * Whether a listener is online. A sighting proves that for 90 seconds, and later ones only prolong it, so the
 * item is read again only when that is over: clients poll deployments far more often. That a doorbell's
 * listener is expected later may be taken back when its socket closes, so it is believed for 90 seconds from
 * when it was read. The managed one is a part of the installation: it is there while that is.
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
  const now = clock.now();
  if (now < (known.get(id) ?? 0)) return true;
  const seen = await findSeen(table, tenantId, listenerId);
  if (seen !== undefined) {
    if (known.size >= SIGHTINGS_MAX) known.clear();
    known.set(id, Math.min(onlineUntil(seen), now + ONLINE_MILLISECONDS));
  }
  return isOnline(seen, clock.now());
}
