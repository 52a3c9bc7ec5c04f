import type { Deps } from '../../core/deps.ts';
import type { Listener } from '../../core/items/items.ts';
import { keepSaid } from '../../core/items/listener-writes.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';

/** What a listener says of itself at a claim. */
export type ReportedVersion = { version?: string | undefined; platform?: string | undefined };

/**
 * Keeps the version and the platform that a listener says of itself, where they are not the ones that are
 * kept, and gives the listener as it is then. A claim has read the listener anyway, so the many that say the
 * same again cost nothing. It changes nothing that a person configured, so `updated_at` stays.
 */
export async function noteSaid(
  { table }: Pick<Deps, 'table'>,
  listener: Listener,
  said: ReportedVersion,
): Promise<Listener> {
  const version = said.version || listener.version;
  const platform = said.platform || listener.platform;
  if (version === listener.version && platform === listener.platform) return listener;
  const news = { ...(version !== undefined && { version }), ...(platform !== undefined && { platform }) };
  await transact(table, keepSaid(listener, news)).catch((error: unknown) => {
    // It was deleted meanwhile, and must not come back.
    if (!(error instanceof ConditionsFailed)) throw error;
  });
  return { ...listener, ...news };
}
