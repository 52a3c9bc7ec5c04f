import { isDeepStrictEqual } from 'node:util';
import type { Deps } from '../../core/deps.ts';
import type { Listener } from '../../core/items/items.ts';
import { markClosing, unmarkClosing } from '../../core/items/listener-writes.ts';
import { transact } from '../../store/dynamodb/transact.ts';

type ClosingDeps = Pick<Deps, 'table' | 'clock'>;

/**
 * Marks a listener, or these namespaces of it, as closing, so that no deployment can begin to use it while it
 * is read which ones do; a mark for the same that was left behind is taken over. Gives the id that what
 * follows depends on: whoever closes or opens it meanwhile takes it away. A mark that stays because its
 * request died refuses new deployments in plain words, until the request is made again.
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
  await transact(table, markClosing(listener, mark));
  return id;
}

/** Takes the mark away again. */
export const reopen = (
  { table }: Pick<Deps, 'table'>,
  listener: Listener,
  closingId: string,
): Promise<void> => transact(table, unmarkClosing(listener, closingId));
