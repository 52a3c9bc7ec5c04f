import { isDeepStrictEqual } from 'node:util';
import { equals, guard, present, same, update } from '../../store/expressions.ts';
import type { Listener } from '../../store/items.ts';
import { listenerKey, listenerRowKey } from '../../store/keys.ts';
import { transact, type Write } from '../../store/operations.ts';
import type { Deps } from '../deps.ts';

type ClosingDeps = Pick<Deps, 'table' | 'clock'>;

/**
 * Marks a listener, or these namespaces of it, as closing, so that no deployment can begin to use it while it is read which ones do; a mark
 * for the same that was left behind is taken over. Gives the id that what follows depends on: whoever closes or opens it meanwhile takes
 * it away. A mark that stays because its request died refuses new deployments in plain words, until the request is made again.
 */
export async function close(
  { table, clock }: ClosingDeps,
  listener: Listener,
  namespaces: string[] | undefined,
): Promise<string> {
  const { closing } = listener;
  if (closing !== undefined && isDeepStrictEqual(closing.namespaces, namespaces)) return closing.id;
  const id = clock.randomId();
  const mark = { id, ...(namespaces !== undefined && { namespaces }) };
  const asRead = [equals('k8s_namespaces', listener.k8s_namespaces), same('closing.id', closing?.id)];
  await transact(
    table,
    onBoth(listener, ({ name, key, isRow }) =>
      update(
        name,
        key,
        { set: { v: 2, closing: mark } },
        guard('listener: still there', present('pk')),
        ...(isRow ? [] : asRead),
      ),
    ),
  );
  return id;
}

/** Takes the mark away again. */
export const reopen = (
  { table }: Pick<Deps, 'table'>,
  listener: Listener,
  closingId: string,
): Promise<void> =>
  transact(
    table,
    onBoth(listener, ({ name, key }) =>
      update(name, key, { remove: ['closing'] }, equals('closing.id', closingId)),
    ),
  );

type Place = { name: string; key: ReturnType<typeof listenerKey>; isRow: boolean };

/** A listener's item and its row in the list, which say the same. */
export const onBoth = ({ tenant_id: tenantId, id }: Listener, write: (place: Place) => Write): Write[] => [
  write({ name: 'listener', key: listenerKey(tenantId, id), isRow: false }),
  write({ name: 'listener_row', key: listenerRowKey(tenantId, id), isRow: true }),
];
