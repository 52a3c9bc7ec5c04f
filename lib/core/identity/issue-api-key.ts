import type { AuditDetails } from '../../contract/audit.ts';
import type { Role } from '../../contract/roles.ts';
import { countOneMore } from '../../store/counts.ts';
import { transact, type Write } from '../../store/dynamodb/transact.ts';
import type { Deps } from '../deps.ts';
import { type ApiKeyItem, putApiKey } from '../items/api-keys.ts';
import type { AuditMark } from '../items/audit-events.ts';
import { hashOf, hintOf, newApiKey } from './api-key.ts';

type NewApiKey = {
  organizationId: string;
  /** Absent: a key of the organization. */
  tenantId: string | undefined;
  userId: string;
  role: Role;
  /** For role `listener`: the listener it speaks for. */
  listenerId?: string;
  name: string;
  /** ISO 8601; absent: it does not expire. */
  expiresAt?: string;
  /** The hash of the key that it ends with. */
  madeWith?: string | undefined;
  kind?: ApiKeyItem['kind'];
  /** The token of CI that it is exchanged for. */
  exchange?: ApiKeyItem['exchange'];
  /** Who asked for it; what the key may do is added to it. */
  audit?: AuditMark;
};

/**
 * Makes a key and stores its hash, whatever the limit of keys is. The key itself is in what this returns and
 * nowhere else.
 */
export async function issueApiKey(deps: Pick<Deps, 'table' | 'clock'>, wish: NewApiKey): Promise<string> {
  const { key, writes } = apiKeyWrites(deps, wish);
  await transact(deps.table, [...writes, countOneMore(wish, 'keys')]);
  return key;
}

/** The writes of a new key, for a larger transaction: the key by its hash, and its row in its owner's list. */
export function apiKeyWrites(
  deps: Pick<Deps, 'clock'>,
  wish: NewApiKey,
): { key: string; item: ApiKeyItem; writes: Write[] } {
  const key = newApiKey();
  const hash = hashOf(key);
  const item: ApiKeyItem = {
    v: 4,
    entity: 'api_key',
    id: deps.clock.orderedId(),
    organization_id: wish.organizationId,
    ...(wish.tenantId !== undefined && { tenant_id: wish.tenantId }),
    user_id: wish.userId,
    role: wish.role,
    ...(wish.listenerId !== undefined && { listener_id: wish.listenerId }),
    name: wish.name,
    hint: hintOf(key),
    created_at: new Date(deps.clock.now()).toISOString(),
    ...(wish.expiresAt !== undefined && { expires_at: wish.expiresAt }),
    ...(wish.madeWith !== undefined && { made_with: wish.madeWith }),
    ...(wish.kind !== undefined && { kind: wish.kind }),
    ...(wish.exchange !== undefined && { exchange: wish.exchange }),
  };
  const audit = wish.audit && { ...wish.audit, details: auditedKey(item) };
  return { key, item, writes: putApiKey(item, hash, audit) };
}

/** What the audit says of a key: what it may do, and how to recognise it. */
export const auditedKey = ({ role, tenant_id, hint, user_id, exchange }: ApiKeyItem): AuditDetails => ({
  role,
  scope: tenant_id === undefined ? 'organization' : 'tenant',
  hint,
  user_id,
  ...exchange,
});
