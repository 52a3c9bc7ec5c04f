import { type ApiKeyItem, type ApiKeyRow, apiKey, apiKeyRow } from './identity-items.ts';
import { apiKeyKey, apiKeyRowKey } from './keys.ts';
import { find, queryAll } from './operations.ts';
import type { Table } from './table.ts';

/** Whom keys are listed for: a tenant, or an organization with those that are of no one tenant. */
export type KeyOwner = { organizationId: string; tenantId: string | undefined };

export const ownerOf = (key: Pick<ApiKeyItem, 'organization_id' | 'tenant_id'>): KeyOwner => ({
  organizationId: key.organization_id,
  tenantId: key.tenant_id,
});

/** The key with this hash, whether it may still be used or not. */
export const findApiKey = (table: Table, hash: string): Promise<ApiKeyItem | undefined> =>
  find(table, apiKeyKey(hash), apiKey);

export const findApiKeyRow = (table: Table, owner: KeyOwner, id: string): Promise<ApiKeyRow | undefined> =>
  find(table, apiKeyRowKey(owner, id), apiKeyRow);

/** An owner's keys, newest first; `limit` is how many are read at a time. */
export const apiKeyRows = (table: Table, owner: KeyOwner, limit: number): AsyncGenerator<ApiKeyRow> =>
  queryAll(table, apiKeyRow, { pk: apiKeyRowKey(owner, '').pk, newestFirst: true, limit });
