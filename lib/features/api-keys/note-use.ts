import type { Deps } from '../../core/deps.ts';
import type { KeyUse } from '../../core/identity/key-uses.ts';
import { API_KEY_ROW, findApiKey, isLent } from '../../core/items/api-keys.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import { listApiKey, noteApiKeyUse } from './store.ts';

/**
 * Writes down in which hour a key was used last. A key that was made before there were lists of keys is
 * listed from then on.
 */
export async function noteKeyUse({ table }: Pick<Deps, 'table'>, { keyHash, hour }: KeyUse): Promise<void> {
  const key = await findApiKey(table, keyHash);
  if (key === undefined) return;
  try {
    await transact(table, noteApiKeyUse(key, keyHash, hour));
  } catch (error) {
    // Noted already, or revoked meanwhile.
    if (!(error instanceof ConditionsFailed)) throw error;
    const { failed } = error;
    const isUnlisted = failed.size === 1 && failed.has(API_KEY_ROW) && failed.get(API_KEY_ROW) === undefined;
    if (!isUnlisted || isLent(key)) return;
    await transact(table, listApiKey(key, keyHash, hour)).catch((late: unknown) => {
      if (!(late instanceof ConditionsFailed)) throw late;
    });
  }
}
