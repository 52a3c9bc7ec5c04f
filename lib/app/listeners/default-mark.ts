import { equals, guard, present, put, remove, same, update } from '../../store/expressions.ts';
import type { Listener } from '../../store/items.ts';
import { defaultListenerKey, listenerKey, listenerRowKey } from '../../store/keys.ts';
import { defaultListener } from '../../store/listeners.ts';
import { find, type Write } from '../../store/operations.ts';
import type { Deps } from '../deps.ts';

type Marked = Pick<Listener, 'tenant_id' | 'id'>;

const markedOf = async ({ table }: Pick<Deps, 'table'>, tenantId: string): Promise<string | undefined> =>
  (await find(table, defaultListenerKey(tenantId), defaultListener))?.listener_id;

/**
 * The writes that make a listener the default beside those of its own item, and take the mark from the one that had it: of two at the same
 * time the later one stays marked.
 */
export async function takeMark(
  deps: Pick<Deps, 'table'>,
  { tenant_id: tenantId, id }: Marked,
): Promise<Write[]> {
  const previous = await markedOf(deps, tenantId);
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

/** The writes beside those of its own item when a listener stops being the default, or being there. */
export const dropMark = ({
  tenant_id: tenantId,
  id,
  is_default,
}: Marked & Pick<Listener, 'is_default'>): Write[] =>
  is_default ? [remove('default', defaultListenerKey(tenantId), equals('listener_id', id))] : [];
