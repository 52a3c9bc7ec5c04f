import { refuse } from '../../contract/errors.ts';
import type { ListenerRef } from '../../contract/refs.ts';
import type { MemberRole } from '../../contract/roles.ts';
import type { Deps } from '../../core/deps.ts';
import { issueApiKey } from '../../core/identity/issue-api-key.ts';
import { getListenerItem } from '../../core/items/listeners.ts';
import { checkNotManaged } from '../../core/items/managed.ts';
import { findTenant } from '../../core/items/tenants.ts';

/**
 * Makes a key that opens one listener's part of the protocol and nothing else; it acts as a new service user.
 * Throws `listener_not_found`, also when the listener is another tenant's, and `state_forbids` for the
 * managed one.
 */
export async function createListenerKey(
  deps: Pick<Deps, 'table' | 'clock'>,
  { tenantId, listenerId }: ListenerRef,
): Promise<string> {
  const listener = await getListenerItem(deps.table, tenantId, listenerId);
  checkNotManaged({ tenant_id: tenantId, listener_id: listenerId });
  const owner = await findTenant(deps.table, tenantId);
  if (owner === undefined) throw refuse('listener_not_found', { id: listenerId });
  return issueApiKey(deps, {
    organizationId: owner.organization_id,
    tenantId,
    userId: deps.clock.randomId(),
    role: 'listener',
    listenerId,
    name: `listener ${listener.compute_id}`,
  });
}

type NewTenantKey = {
  tenantId: string;
  role: MemberRole;
  name: string;
  /** Of the tenant's whole organization instead of the tenant alone. */
  organizationWide: boolean;
};

/**
 * Makes a key for a new user of an existing tenant. Only operators, who have access to the table, call it, so
 * no role is too high. Throws `tenant_not_found`.
 */
export async function createTenantKey(
  deps: Pick<Deps, 'table' | 'clock'>,
  { tenantId, role, name, organizationWide }: NewTenantKey,
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
