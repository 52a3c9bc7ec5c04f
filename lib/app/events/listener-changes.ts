import * as z from 'zod';
import type { ListenerEvent } from '../../contract/events.ts';
import type { ChangedItem } from './changed-item.ts';

/** What is read of the images, whatever else later versions of the items hold. */
const presenceImage = z.object({
  tenant_id: z.string(),
  listener_id: z.string(),
  online: z.boolean().optional(),
  changes: z.int(),
  at: z.string().optional(),
});

/** That a listener went offline, or came online. */
export function listenerEventsOf({ before, after }: ChangedItem): ListenerEvent[] {
  if (after?.entity !== 'listener_presence') return [];
  const { tenant_id, listener_id, online, changes, at } = presenceImage.parse(after);
  if (online === undefined || at === undefined || before?.changes === changes) return [];
  const type = online ? 'listener.online' : 'listener.offline';
  return [{ id: `${listener_id}:${changes}:${type}`, type, sequence: changes, at, tenant_id, listener_id }];
}
