import * as z from 'zod';
import { equals, guard, present, put, remove, same, update } from '../../store/dynamodb/expressions.ts';
import { find } from '../../store/dynamodb/reads.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { defaultListenerKey, listenerKey, listenerRowKey } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';
import type { Listener } from './items.ts';

/** Names the marked default, so that two marks at the same time contend for one item. */
export const defaultListener = z.object({
  tenant_id: z.string(),
  v: z.literal(1),
  entity: z.literal('default_listener'),
  listener_id: z.string(),
});

type Marked = Pick<Listener, 'tenant_id' | 'id'>;

const markedOf = async (table: Table, tenantId: string): Promise<string | undefined> =>
  (await find(table, defaultListenerKey(tenantId), defaultListener))?.listener_id;

/**
 * Makes a listener the default, beside the writes of its own item, and takes the mark from the one that had
 * it: of two at the same time the later one stays marked. Demands that the same one has the mark as was read.
 */
export async function takeMark(table: Table, { tenant_id: tenantId, id }: Marked): Promise<Write[]> {
  const previous = await markedOf(table, tenantId);
  const item = { v: 1, entity: 'default_listener', tenant_id: tenantId, listener_id: id };
  return [
    put('default', { ...defaultListenerKey(tenantId), ...item }, same('listener_id', previous)),
    ...(previous === undefined || previous === id ? [] : unmark(tenantId, previous)),
  ];
}

const unmark = (tenantId: string, id: string): Write[] =>
  [listenerKey(tenantId, id), listenerRowKey(tenantId, id)].map((key, index) =>
    update(
      `previous_default_${index}`,
      key,
      { set: { is_default: false } },
      guard('listener: still there', present('pk')),
    ),
  );

/**
 * The writes beside those of its own item when a listener stops being the default, or being there. Demands
 * that it has the mark.
 */
export const dropMark = ({
  tenant_id: tenantId,
  id,
  is_default,
}: Marked & Pick<Listener, 'is_default'>): Write[] =>
  is_default ? [remove('default', defaultListenerKey(tenantId), equals('listener_id', id))] : [];
