import { refuse } from '../../contract/errors.ts';
import { type ApiKeyItem, apiKey, tenant } from '../../store/identity-items.ts';
import { apiKeyKey, tenantKey } from '../../store/keys.ts';
import { find } from '../../store/operations.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { hashOf, isWellFormed } from './api-key.ts';

export type Credentials = { apiKey: string | undefined; tenantId: string | undefined };
type IdentityDeps = Pick<Deps, 'table' | 'clock'>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Who asks, by their key. Throws `unauthenticated` without saying whether the key is missing, malformed, unknown, revoked or expired;
 * `tenant_required` and `tenant_forbidden` when it is good but the tenant is not its own.
 */
export async function authenticate(deps: IdentityDeps, credentials: Credentials): Promise<Caller> {
  const key = await validKey(deps, credentials.apiKey);
  return {
    tenantId: await tenantOf(deps, key, credentials.tenantId),
    organisationId: key.organisation_id,
    userId: key.user_id,
    keyId: key.id,
    role: key.role,
    listenerId: key.listener_id,
  };
}

async function validKey(deps: IdentityDeps, given: string | undefined): Promise<ApiKeyItem> {
  if (given === undefined || !isWellFormed(given)) throw refuse('unauthenticated', {});
  const key = await find(deps.table, apiKeyKey(hashOf(given)), apiKey);
  const expired = key?.expires_at !== undefined && Date.parse(key.expires_at) <= deps.clock.now();
  if (key === undefined || key.revoked_at !== undefined || expired) throw refuse('unauthenticated', {});
  return key;
}

/** A key of one tenant may name it, and only it; a key of the organisation names one of the organisation's. */
async function tenantOf(deps: IdentityDeps, key: ApiKeyItem, asked: string | undefined): Promise<string> {
  if (key.tenant_id !== undefined) {
    if (asked !== undefined && asked.toLowerCase() !== key.tenant_id) {
      throw refuse('tenant_forbidden', { tenant: asked });
    }
    return key.tenant_id;
  }
  if (asked === undefined) throw refuse('tenant_required', {});
  // The header is part of a key of the table: anything but an id would name another kind of item.
  const found = UUID.test(asked) ? await find(deps.table, tenantKey(asked.toLowerCase()), tenant) : undefined;
  if (found?.organisation_id !== key.organisation_id) throw refuse('tenant_forbidden', { tenant: asked });
  return found.tenant_id;
}
