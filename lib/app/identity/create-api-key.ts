import type { Role } from '../../contract/roles.ts';
import { absent, put } from '../../store/expressions.ts';
import type { ApiKeyItem } from '../../store/identity-items.ts';
import { apiKeyKey } from '../../store/keys.ts';
import { transact, type Write } from '../../store/operations.ts';
import type { Deps } from '../deps.ts';
import { hashOf, hintOf, newApiKey } from './api-key.ts';

export type KeyWish = {
  organisationId: string;
  /** Absent: a key of the organisation. */
  tenantId: string | undefined;
  userId: string;
  role: Role;
  /** For role `listener`: the listener it speaks for. */
  listenerId?: string;
  name: string;
};

/** Makes a key and stores its hash. The key itself is in what this returns and nowhere else. */
export async function createApiKey(deps: Pick<Deps, 'table' | 'clock'>, wish: KeyWish): Promise<string> {
  const { key, write } = apiKeyWrite(deps, wish);
  await transact(deps.table, [write]);
  return key;
}

/** The same as a write for a larger transaction. */
export function apiKeyWrite(deps: Pick<Deps, 'clock'>, wish: KeyWish): { key: string; write: Write } {
  const key = newApiKey();
  const item: ApiKeyItem = {
    v: 1,
    entity: 'api_key',
    id: deps.clock.randomId(),
    organisation_id: wish.organisationId,
    ...(wish.tenantId !== undefined && { tenant_id: wish.tenantId }),
    user_id: wish.userId,
    role: wish.role,
    ...(wish.listenerId !== undefined && { listener_id: wish.listenerId }),
    name: wish.name,
    hint: hintOf(key),
    created_at: new Date(deps.clock.now()).toISOString(),
  };
  return { key, write: put('api_key', { ...apiKeyKey(hashOf(key)), ...item }, absent('pk')) };
}
