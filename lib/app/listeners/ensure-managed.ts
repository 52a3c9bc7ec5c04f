import { countOneMore } from '../../store/counts.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import type { Listener } from '../../store/engine/items.ts';
import { createListenerWrites } from '../../store/listeners/listener-writes.ts';
import { managedListenerId, newManagedListener } from '../../store/listeners/managed.ts';
import type { Deps } from '../deps.ts';

/**
 * A tenant's listeners with the managed one among them. New tenants are made with it; one that was there
 * before the installation managed anything gets it here, at the first deployment after. It stays without one
 * where a listener of its own has the name.
 */
export async function withManaged(
  { table, clock, settings }: Pick<Deps, 'table' | 'clock' | 'settings'>,
  tenantId: string,
  listeners: Listener[],
): Promise<Listener[]> {
  const isThere = listeners.some(({ id }) => id === managedListenerId(tenantId));
  if (settings.managedCompute === undefined || isThere) return listeners;
  const made = newManagedListener(tenantId, clock.now());
  try {
    await transact(table, [...createListenerWrites(made), countOneMore({ tenantId }, 'listeners')]);
    return [...listeners, made];
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
    return error.failed.has('listener') ? [...listeners, made] : listeners;
  }
}
