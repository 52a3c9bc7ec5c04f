import * as z from 'zod';
import type { ListenerRef } from '../../contract/refs.ts';
import { equals, guard, same, update } from '../../store/dynamodb/expressions.ts';
import { find } from '../../store/dynamodb/reads.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { due } from '../../store/keys/index.ts';
import { listenerPresenceKey } from '../../store/keys/presence.ts';
import type { Table } from '../../store/table.ts';

/**
 * Whether a listener is online, as far as was told. When it last called is another item, which is written far
 * more often; this one is due when it has to be compared with that.
 */
export const listenerPresence = z.object({
  v: z.literal(1),
  entity: z.literal('listener_presence'),
  tenant_id: z.string(),
  listener_id: z.string(),
  /** Absent: nothing was told yet. */
  online: z.boolean().optional(),
  /** How often that changed. */
  changes: z.int(),
  /** When it did last, ISO 8601 UTC. */
  at: z.string().optional(),
  due_at: z.number().optional(),
});
export type ListenerPresence = z.infer<typeof listenerPresence>;

export const findPresence = (
  table: Table,
  { tenantId, listenerId }: ListenerRef,
): Promise<ListenerPresence | undefined> =>
  find(table, listenerPresenceKey(tenantId, listenerId), listenerPresence);

/** Has sweep look at once: the listener called for the first time, or after a silence. */
export function watchPresence({ tenantId, listenerId }: ListenerRef, now: number): Write {
  const key = listenerPresenceKey(tenantId, listenerId);
  const of = { v: 1, entity: 'listener_presence', tenant_id: tenantId, listener_id: listenerId };
  return update('listener_presence', key, { set: { ...of, ...due(key.pk, now) }, add: { changes: 0 } });
}

/**
 * Notes what was found out, and when to look again (undefined: when it calls). Demands that nobody has asked
 * for a look since it was read.
 */
export function notePresence(
  before: ListenerPresence,
  { online, now, lookAt }: { online: boolean; now: number; lookAt: number | undefined },
): Write {
  const key = listenerPresenceKey(before.tenant_id, before.listener_id);
  const isChange = (before.online ?? false) !== online;
  const at = new Date(now).toISOString();
  return update(
    'listener_presence',
    key,
    {
      set: {
        ...(isChange && { online, at, changes: before.changes + 1 }),
        ...(lookAt !== undefined && due(key.pk, lookAt)),
        v: 1,
      },
      ...(lookAt === undefined && { remove: ['due_pk', 'due_at'] }),
    },
    guard('presence: as read', equals('changes', before.changes)),
    guard('presence: nobody asked for a look', same('due_at', before.due_at)),
  );
}
