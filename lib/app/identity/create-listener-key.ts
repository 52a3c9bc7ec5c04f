import { refuse } from '../../contract/errors.ts';
import type { ListenerRef } from '../../contract/refs.ts';
import type { Deps } from '../../core/deps.ts';
import { getListenerItem } from '../../core/items/listeners.ts';
import { checkNotManaged } from '../../core/items/managed.ts';
import { findTenant } from '../../store/identity/tenants.ts';
import { issueApiKey } from './issue-api-key.ts';

/**
 * Makes a key that opens one listener's part of the protocol and nothing else; it acts as a new service user.
 * Throws `listener_not_found`, also when the listener is another tenant's;
 * `state_forbids` for the managed one.
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
