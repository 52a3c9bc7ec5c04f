import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import {
  type ApiKeyItem,
  type ApiKeyRow,
  findApiKey,
  findApiKeyRow,
  type KeyOwner,
} from '../items/api-keys.ts';

/** A listed key, with whose list it is in. */
export type OwnKey = { key: ApiKeyItem; row: ApiKeyRow; owner: KeyOwner };

/**
 * The key of this id, such as the one that the caller asks with; undefined: a bearer token, or a key that is
 * not listed yet or not any more.
 */
export async function ownKey(
  { table }: Pick<Deps, 'table'>,
  { organizationId, tenantId, keyId }: Pick<Caller, 'organizationId' | 'tenantId' | 'keyId'>,
): Promise<OwnKey | undefined> {
  for (const owner of [
    { organizationId, tenantId },
    { organizationId, tenantId: undefined },
  ]) {
    const row = await findApiKeyRow(table, owner, keyId);
    const key = row && (await findApiKey(table, row.hash));
    if (row !== undefined && key !== undefined) return { key, row, owner };
  }
  return undefined;
}
