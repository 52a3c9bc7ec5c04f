import { guard, present, update } from '../../store/expressions.ts';
import type { Listener } from '../../store/items.ts';
import { ConditionsFailed, transact } from '../../store/operations.ts';
import type { Deps } from '../deps.ts';
import { onBoth } from '../listeners/closing.ts';

/**
 * Keeps the version that a listener says of itself, where it is not the one that is kept. A claim has read the listener anyway, so the many
 * that say the same again cost nothing. It changes nothing that a person configured, so `updated_at` stays.
 */
export async function noteVersion(
  { table }: Pick<Deps, 'table'>,
  listener: Listener,
  version: string | null | undefined,
): Promise<void> {
  if (version === null || version === undefined || version === '' || version === listener.version) return;
  const set = { v: 2, version };
  const writes = onBoth(listener, ({ name, key }) =>
    update(name, key, { set }, guard('listener: still there', present('pk'))),
  );
  await transact(table, writes).catch((error: unknown) => {
    // It was deleted meanwhile, and must not come back.
    if (!(error instanceof ConditionsFailed)) throw error;
  });
}
