import type { ApiKeyItem } from '../../core/items/api-keys.ts';
import type { ApiKeyView } from './shape.ts';

/** A key as it is shown. `lastUsedAt`: when the hour of its last use began, in epoch milliseconds. */
export const apiKeyViewOf = (key: ApiKeyItem, lastUsedAt: number | undefined): ApiKeyView => ({
  id: key.id,
  name: key.name,
  hint: key.hint,
  role: key.role,
  organization_id: key.organization_id,
  tenant_id: key.tenant_id ?? null,
  user_id: key.user_id,
  listener_id: key.listener_id ?? null,
  created_at: key.created_at,
  expires_at: key.expires_at ?? null,
  last_used_at: lastUsedAt === undefined ? null : usedAt(key, lastUsedAt),
});

/** Nothing is used before it is made, though the hour of its use began before. */
const usedAt = (key: ApiKeyItem, hour: number): string =>
  new Date(Math.max(hour, Date.parse(key.created_at))).toISOString();
