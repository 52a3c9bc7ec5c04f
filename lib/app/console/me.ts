import type { MeView } from '../../contract/console.ts';
import { refuse } from '../../contract/errors.ts';
import { allows, roleMatrix } from '../../contract/roles.ts';
import { findTenant, tenantRows } from '../../store/identity/tenants.ts';
import { type Credentials, type Identity, type IdentityDeps, identify } from '../identity/authenticate.ts';
import type { KeyUses } from '../identity/key-uses.ts';

const TENANTS_MAX = 100;

/** Who the credential is and what it may do. Throws as authentication does, and `permission_missing`. */
export async function showMe(deps: IdentityDeps, credentials: Credentials, uses: KeyUses): Promise<MeView> {
  const who = await identify(deps, credentials, uses);
  if (!allows(who.role, 'self:read')) throw refuse('permission_missing', { permission: 'self:read' });
  return {
    user_id: who.userId,
    key_id: credentials.apiKey === undefined ? null : who.keyId,
    organization_id: who.organizationId,
    tenant_id: who.tenantId ?? null,
    role: who.role,
    permissions: [...roleMatrix[who.role]],
    expires_at: who.expiresAt ?? null,
    is_session: who.isSession,
    tenants: await tenantsOf(deps, who),
  };
}

/** An organization's credential opens all of its tenants, any other one the one that it is of. */
async function tenantsOf({ table }: IdentityDeps, who: Identity): Promise<MeView['tenants']> {
  if (!who.ofOrganization) {
    const found = who.tenantId === undefined ? undefined : await findTenant(table, who.tenantId);
    return found === undefined ? [] : [{ id: found.tenant_id, name: found.name }];
  }
  const tenants: MeView['tenants'] = [];
  for await (const { sk, name } of tenantRows(table, who.organizationId, TENANTS_MAX)) {
    tenants.push({ id: sk, name });
    if (tenants.length === TENANTS_MAX) break;
  }
  return tenants;
}
