import * as z from 'zod';
import { type Role, roles, rolesNotAbove } from '../../contract/roles.ts';
import type { AuditMark } from '../audit-events.ts';
import { countOneLess, countOneMore } from '../counts.ts';
import { absent, any, atMost, check, oneOf, present, put, remove, update } from '../dynamodb/expressions.ts';
import { find, queryAll } from '../dynamodb/reads.ts';
import type { Write } from '../dynamodb/transact.ts';
import { alsoEarlier } from '../dynamodb/upgrade.ts';
import { apiKeyKey, apiKeyRowKey } from '../keys/index.ts';
import type { Table } from '../table.ts';
import { forgottenAt } from './forgotten-at.ts';

export const apiKey = z.object({
  v: z.literal(2),
  entity: z.literal('api_key'),
  id: z.string(),
  organization_id: z.string(),
  /** Absent: the key is the organization's, each request names its tenant. */
  tenant_id: z.string().optional(),
  user_id: z.string(),
  role: z.enum(roles),
  listener_id: z.string().optional(),
  name: z.string(),
  hint: z.string(),
  created_at: z.string(),
  expires_at: z.string().optional(),
  revoked_at: z.string().optional(),
  /** The hash of the key that this one ends with: it is of a session of the console. */
  made_with: z.string().optional(),
});
/** The second version may have `made_with`. */
export const anyApiKey = alsoEarlier(apiKey, 2);
export type ApiKeyItem = z.infer<typeof apiKey>;

/**
 * What lists of keys walk over; thin, so that it costs little to pass over. Owner and id are in its key
 * alone.
 */
export const apiKeyRow = z.object({
  v: z.literal(1),
  entity: z.literal('api_key_row'),
  /** The key's id. */
  sk: z.string(),
  /** Where the key itself lies. */
  hash: z.string(),
  /** Epoch milliseconds, to the hour. */
  last_used_at: z.number().optional(),
});
export type ApiKeyRow = z.infer<typeof apiKeyRow>;

/** Whom keys are listed for: a tenant, or an organization with those that are of no one tenant. */
export type KeyOwner = { organizationId: string; tenantId: string | undefined };

const ownerOf = (key: Pick<ApiKeyItem, 'organization_id' | 'tenant_id'>): KeyOwner => ({
  organizationId: key.organization_id,
  tenantId: key.tenant_id,
});

/** The key with this hash, whether it may still be used or not. */
export const findApiKey = (table: Table, hash: string): Promise<ApiKeyItem | undefined> =>
  find(table, apiKeyKey(hash), anyApiKey);

export const findApiKeyRow = (table: Table, owner: KeyOwner, id: string): Promise<ApiKeyRow | undefined> =>
  find(table, apiKeyRowKey(owner, id), apiKeyRow);

/** An owner's keys, newest first; `limit` is how many are read at a time. */
export const apiKeyRows = (table: Table, owner: KeyOwner, limit: number): AsyncGenerator<ApiKeyRow> =>
  queryAll(table, apiKeyRow, { pk: apiKeyRowKey(owner, '').pk, newestFirst: true, limit });

/** The name of the write that fails when a key cannot be revoked. */
export const API_KEY = 'api_key';
export const API_KEY_ROW = 'api_key_row';

const rowOf = (hash: string): Omit<ApiKeyRow, 'sk'> => ({ v: 1, entity: 'api_key_row', hash });

/**
 * Stores a new key under its hash, and its row in the list of its owner. `audit`: who asked for it. A
 * session's is forgotten when it is over.
 */
export function putApiKey(item: ApiKeyItem, hash: string, audit: AuditMark | undefined): Write[] {
  const isSession = item.made_with !== undefined && item.expires_at !== undefined;
  const over = isSession ? { ttl: Math.ceil(Date.parse(item.expires_at ?? '') / 1000) } : {};
  return [
    put(API_KEY, { ...apiKeyKey(hash), ...item, audit, ...over }, absent('pk')),
    put('api_key_row', { ...apiKeyRowKey(ownerOf(item), item.id), ...rowOf(hash), ...over }, absent('pk')),
  ];
}

/** Demands that a key was not revoked. */
export const checkApiKey = (hash: string): Write =>
  check('maker', apiKeyKey(hash), present('pk'), absent('revoked_at'));

/** Sessions are not counted: they are over by themselves. */
export const isSession = (key: Pick<ApiKeyItem, 'made_with'> | undefined): boolean =>
  key?.made_with !== undefined;

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
    remove('api_key_row', apiKeyRowKey(owner, id), present('pk')),
    ...(isSession(key) ? [] : [countOneLess(owner, 'keys')]),
  ];
};

const inUse = (hash: string): Write => check(API_KEY, apiKeyKey(hash), present('pk'), absent('revoked_at'));

/**
 * Notes the hour (its beginning, in epoch milliseconds) in which a key was last used. Demands that it is
 * listed (the write `api_key_row` finds nothing else), that this is news, and that the key is not revoked.
 */
export const noteApiKeyUse = (key: ApiKeyItem, hash: string, hour: number): Write[] => {
  const set = { ...rowOf(hash), last_used_at: hour };
  const isNews = any(absent('last_used_at'), atMost('last_used_at', hour - 1));
  return [
    update(API_KEY_ROW, apiKeyRowKey(ownerOf(key), key.id), { set }, present('pk'), isNews),
    inUse(hash),
  ];
};

/** Lists a used key from before there were lists. Demands that it is not listed, and not revoked. */
export const listApiKey = (key: ApiKeyItem, hash: string, hour: number): Write[] => [
  put(
    API_KEY_ROW,
    { ...apiKeyRowKey(ownerOf(key), key.id), ...rowOf(hash), last_used_at: hour },
    absent('pk'),
  ),
  inUse(hash),
  countOneMore(ownerOf(key), 'keys'),
];
