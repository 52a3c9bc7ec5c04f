import { refuse } from '../../contract/errors.ts';
import { type ApiKeyItem, findApiKey } from '../../store/identity/api-keys.ts';
import { findTenant } from '../../store/identity/tenants.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { hashOf, isWellFormed } from './api-key.ts';
import { bearerCaller } from './bearer.ts';
import type { KeyUses } from './key-uses.ts';
import { type Known, refusedAs } from './refused.ts';
import { tenantIdIn } from './tenant-id.ts';

/**
 * What a request proves who asks with, and the tenant that it picks; `authorization` is the header as it
 * came.
 */
export type Credentials = {
  apiKey: string | undefined;
  authorization?: string | undefined;
  tenantId: string | undefined;
};

/** What authentication needs, whatever the use case itself needs. */
export type IdentityDeps = Pick<Deps, 'table' | 'clock' | 'identityProvider' | 'keyUses'> &
  Partial<Pick<Deps, 'auditLog'>>;

/**
 * Who asks, by their key or, without one, by their bearer token. Throws `unauthenticated` without saying
 * whether the credential is missing, malformed, unknown, revoked or expired; `tenant_required`,
 * `tenant_forbidden` and `membership_missing` when it is good but the tenant is not theirs. A good key is
 * told to `uses`; whose a refused one is, the error says to the audit (`whoWasRefused`).
 */
export async function authenticate(
  deps: IdentityDeps,
  credentials: Credentials,
  uses?: KeyUses,
): Promise<Caller> {
  const { apiKey, authorization, tenantId } = credentials;
  if (apiKey === undefined && authorization !== undefined) return bearerCaller(deps, authorization, tenantId);
  const { key, hash } = await validKey(deps, apiKey);
  const caller = {
    tenantId: await tenantOf(deps, key, tenantId),
    organizationId: key.organization_id,
    userId: key.user_id,
    keyId: key.id,
    role: key.role,
    listenerId: key.listener_id,
  };
  uses?.note(hash, deps.clock.now());
  return caller;
}

async function validKey(
  deps: IdentityDeps,
  given: string | undefined,
): Promise<{ key: ApiKeyItem; hash: string }> {
  if (given === undefined || !isWellFormed(given)) throw refuse('unauthenticated', {});
  const hash = hashOf(given);
  const key = await findApiKey(deps.table, hash);
  if (key === undefined) throw refuse('unauthenticated', {});
  const expired = key.expires_at !== undefined && Date.parse(key.expires_at) <= deps.clock.now();
  if (key.revoked_at !== undefined || expired) throw refusedAs(refuse('unauthenticated', {}), knownBy(key));
  return { key, hash };
}

/**
 * A key of one tenant may name it, and only it; a key of the organization names one of the organization's.
 */
async function tenantOf(deps: IdentityDeps, key: ApiKeyItem, asked: string | undefined): Promise<string> {
  if (key.tenant_id !== undefined) {
    if (asked !== undefined && asked.toLowerCase() !== key.tenant_id) {
      throw refusedAs(refuse('tenant_forbidden', { tenant: asked }), knownBy(key));
    }
    return key.tenant_id;
  }
  if (asked === undefined) throw refusedAs(refuse('tenant_required', {}), knownBy(key));
  const id = tenantIdIn(asked);
  const found = id === undefined ? undefined : await findTenant(deps.table, id);
  if (found?.organization_id !== key.organization_id)
    throw refusedAs(refuse('tenant_forbidden', { tenant: asked }), knownBy(key));
  return found.tenant_id;
}

const knownBy = (key: ApiKeyItem): Known => ({
  userId: key.user_id,
  keyId: key.id,
  tenantId: key.tenant_id,
  organizationId: key.organization_id,
});
