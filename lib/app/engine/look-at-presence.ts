import { write } from '../../store/dynamodb/write.ts';
import { findLastSeen } from '../../store/listeners/listeners.ts';
import { findPresence, notePresence } from '../../store/listeners/presence.ts';
import { isOnline } from '../deployments/online.ts';
import type { Deps } from '../deps.ts';

/**
 * While a listener is online it is looked at this often: a listener that died is told offline by then. One
 * that is offline says itself when it is back.
 */
const LOOK_MILLISECONDS = 300_000;

/**
 * Notes whether a listener is online, where that has changed; the stream makes the event. Demands that it has
 * not called after a silence meanwhile: then the next sweep looks.
 */
export async function lookAtPresence(
  { table, clock }: Pick<Deps, 'table' | 'clock'>,
  owner: { tenantId: string; listenerId: string },
): Promise<void> {
  const presence = await findPresence(table, owner);
  if (presence === undefined) return;
  const now = clock.now();
  const online = isOnline(await findLastSeen(table, owner.tenantId, owner.listenerId), now);
  const lookAt = online ? now + LOOK_MILLISECONDS : undefined;
  await write(table, notePresence(presence, { online, now, lookAt }));
}
