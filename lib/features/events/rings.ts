import * as z from 'zod';
import type { ListenerRef } from '../../contract/refs.ts';
import type { ChangedItem } from '../../core/events/changed-item.ts';
import { managedListenerId } from '../../core/items/managed.ts';

/** What is read of the images, whatever else later versions of the items hold. */
const taskImage = z.object({ tenant_id: z.string(), listener_id: z.string() });
const seenImage = z.object({ tenant_id: z.string(), pk: z.string() });
const keyImage = z.object({
  tenant_id: z.string(),
  listener_id: z.string(),
  revoked_at: z.string().optional(),
});

/**
 * Which listener is rung for a change: a task has just been offered or cancelled, something else that it
 * should run was changed, or a key of it was revoked, whose sockets are closed then. The driver of the
 * installation's own compute has no sockets.
 */
export const ringsOf = (change: ChangedItem): ListenerRef[] =>
  candidatesOf(change).filter(({ tenantId, listenerId }) => listenerId !== managedListenerId(tenantId));

function candidatesOf({ before, after }: ChangedItem): ListenerRef[] {
  if (after?.entity === 'task') {
    const isWanted = after.state === 'offered' || after.state === 'cancelled';
    if (!isWanted || after.state === before?.state) return [];
    const { tenant_id: tenantId, listener_id: listenerId } = taskImage.parse(after);
    return [{ tenantId, listenerId }];
  }
  if (after?.entity === 'last_seen' && after.changes !== before?.changes) {
    const { tenant_id: tenantId, pk } = seenImage.parse(after);
    return [{ tenantId, listenerId: pk.split('#').at(-1) ?? '' }];
  }
  if (after?.entity !== 'api_key' || before?.revoked_at !== undefined) return [];
  const key = keyImage.safeParse(after);
  if (!key.success || key.data.revoked_at === undefined) return [];
  return [{ tenantId: key.data.tenant_id, listenerId: key.data.listener_id }];
}
