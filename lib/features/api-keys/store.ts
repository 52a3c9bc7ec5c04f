import { type Role, rolesNotAbove } from '../../contract/roles.ts';
import {
  API_KEY,
  API_KEY_ROW,
  type ApiKeyItem,
  type ApiKeyRow,
  apiKeyKey,
  apiKeyRow,
  apiKeyRowOf,
  isLent,
  type KeyOwner,
  ownerOfKey,
} from '../../core/items/api-keys.ts';
import type { AuditMark } from '../../core/items/audit-events.ts';
import { forgottenAt } from '../../core/items/forgotten-at.ts';
import { countOneLess, countOneMore } from '../../store/counts.ts';
import {
  absent,
  any,
  atMost,
  check,
  oneOf,
  present,
  put,
  remove,
  update,
} from '../../store/dynamodb/expressions.ts';
import { queryAll } from '../../store/dynamodb/reads.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { apiKeyRowKey } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';

/** An owner's keys, newest first; `limit` is how many are read at a time. */
export const apiKeyRows = (table: Table, owner: KeyOwner, limit: number): AsyncGenerator<ApiKeyRow> =>
  queryAll(table, apiKeyRow, { pk: apiKeyRowKey(owner, '').pk, newestFirst: true, limit });

/**
 * Revokes a listed key. Demands that it is still listed, and that its role is not above `by`, the role of who
 * revokes it. `key`: what lies under its hash.
 */
export const revokeApiKeyWrites = (
  owner: KeyOwner,
  { sk: id, hash }: ApiKeyRow,
  { key, by, now, audit }: { key: ApiKeyItem | undefined; by: Role; now: number; audit: AuditMark },
): Write[] => {
  const set = { revoked_at: new Date(now).toISOString(), ttl: forgottenAt(now), audit };
  return [
    update(API_KEY, apiKeyKey(hash), { set }, present('pk'), oneOf('role', rolesNotAbove(by))),
    remove(API_KEY_ROW, apiKeyRowKey(owner, id), present('pk')),
    ...(key !== undefined && isLent(key) ? [] : [countOneLess(owner, 'keys')]),
  ];
};

const inUse = (hash: string): Write => check(API_KEY, apiKeyKey(hash), present('pk'), absent('revoked_at'));

/**
 * Notes the hour (its beginning, in epoch milliseconds) in which a key was last used. Demands that it is
 * listed (the write `api_key_row` finds nothing else), that this is news, and that the key is not revoked.
 */
export const noteApiKeyUse = (key: ApiKeyItem, hash: string, hour: number): Write[] => {
  const set = { ...apiKeyRowOf(hash), last_used_at: hour };
  const isNews = any(absent('last_used_at'), atMost('last_used_at', hour - 1));
  return [
    update(API_KEY_ROW, apiKeyRowKey(ownerOfKey(key), key.id), { set }, present('pk'), isNews),
    inUse(hash),
  ];
};

/** Lists a used key from before there were lists. Demands that it is not listed, and not revoked. */
export const listApiKey = (key: ApiKeyItem, hash: string, hour: number): Write[] => [
  put(
    API_KEY_ROW,
    { ...apiKeyRowKey(ownerOfKey(key), key.id), ...apiKeyRowOf(hash), last_used_at: hour },
    absent('pk'),
  ),
  inUse(hash),
  countOneMore(ownerOfKey(key), 'keys'),
];
