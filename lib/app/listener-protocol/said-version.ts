import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import type { Listener } from '../../store/engine/items.ts';
import { keepVersion } from '../../store/listeners/listener-writes.ts';
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
