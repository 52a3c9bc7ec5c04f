import type { Listener } from '../../store/items.ts';
import { keepVersion } from '../../store/listener-writes.ts';
import { ConditionsFailed, transact } from '../../store/operations.ts';
import type { Deps } from '../deps.ts';

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
  await transact(table, keepVersion(listener, version)).catch((error: unknown) => {
    // It was deleted meanwhile, and must not come back.
    if (!(error instanceof ConditionsFailed)) throw error;
  });
}
