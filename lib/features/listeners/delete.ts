import type { RouteInput } from '../../contract/routes/route.ts';
import { auditRemovalWrite } from '../../core/audit-removal.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { removeListener } from '../../core/items/listener-writes.ts';
import { getListenerItem } from '../../core/items/listeners.ts';
import { checkNotManaged } from '../../core/items/managed.ts';
import { retryRaces, transact } from '../../store/dynamodb/transact.ts';
import { checkListenerUnused, closeUnused } from './closing.ts';
import type { deleteListener as row } from './routes.ts';

type DeleteDeps = Pick<Deps, 'table' | 'clock' | 'settings'>;

/**
 * Deletes a listener that no deployment uses; cut off at any moment, it goes on when it is asked for again.
 * Its keys open nothing any more: what they ask for is not there.
 */
export async function deleteListener(
  deps: DeleteDeps,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<undefined> {
  await retryRaces(deps.table, async () => {
    const listener = await getListenerItem(deps.table, caller.tenantId, params.listener_id);
    checkNotManaged({ tenant_id: caller.tenantId, listener_id: listener.id });
    const closingId = await closeUnused(deps, { listener }, () => checkListenerUnused(deps, listener));
    await transact(deps.table, [
      ...removeListener(listener, closingId),
      auditRemovalWrite(deps, { action: 'listener.delete', subject_id: listener.id }, caller),
    ]);
  });
}
