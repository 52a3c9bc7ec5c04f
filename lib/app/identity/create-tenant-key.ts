import { refuse } from '../../contract/errors.ts';
import type { MemberRole } from '../../contract/roles.ts';
import type { Deps } from '../../core/deps.ts';
import { findTenant } from '../../store/identity/tenants.ts';
import { issueApiKey } from './issue-api-key.ts';

export type TenantKeyWish = {
  tenantId: string;
  role: MemberRole;
  name: string;
  /** Of the tenant's whole organization instead of the tenant alone. */
  organizationWide: boolean;
};

/**
 * Makes a key for a new user of a tenant that is there; for who reaches the table itself, so no role is too
 * high. Throws `tenant_not_found`.
 */
export async function createTenantKey(
  deps: Pick<Deps, 'table' | 'clock'>,
  { tenantId, role, name, organizationWide }: TenantKeyWish,
): Promise<{ apiKey: string; userId: string }> {
  const owner = await findTenant(deps.table, tenantId);
  if (owner === undefined) throw refuse('tenant_not_found', { id: tenantId });
  const userId = deps.clock.randomId();
  const apiKey = await issueApiKey(deps, {
    organizationId: owner.organization_id,
    tenantId: organizationWide ? undefined : tenantId,
    userId,
    role,
    name,
  });
  return { apiKey, userId };
}
