import { findApiKey, ownerOf } from '../../store/api-keys.ts';
import { absent, any, atMost, check, present, update } from '../../store/expressions.ts';
import { apiKeyKey, apiKeyRowKey } from '../../store/keys.ts';
import { ConditionsFailed, transact } from '../../store/operations.ts';
import type { Deps } from '../deps.ts';
import type { KeyUse } from './key-uses.ts';

/** Writes down in which hour a key was used last. A key that was made before there were lists of keys is listed from then on. */
export async function noteKeyUse({ table }: Pick<Deps, 'table'>, { keyHash, hour }: KeyUse): Promise<void> {
  const key = await findApiKey(table, keyHash);
  if (key === undefined) return;
  const set = { v: 1, entity: 'api_key_row', hash: keyHash, last_used_at: hour };
  const isNews = any(absent('last_used_at'), atMost('last_used_at', hour - 1));
  try {
    await transact(table, [
      update('api_key_row', apiKeyRowKey(ownerOf(key), key.id), { set }, isNews),
      check('api_key', apiKeyKey(keyHash), present('pk'), absent('revoked_at')),
    ]);
  } catch (error) {
    // Noted already, or revoked meanwhile.
    if (!(error instanceof ConditionsFailed)) throw error;
  }
}
