import { refuse } from '../../contract/errors.ts';
import type { TenantView } from '../../contract/identity.ts';
import type { createTenant as row } from '../../contract/routes/identity.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { transact } from '../../store/dynamodb/transact.ts';
import { putTenant } from '../../store/identity/tenants.ts';
import { auditOf } from '../audit.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';

const SINGLE =
  'Builds and agents of all tenants run as one user of this machine. To create another tenant anyway, start it with SLIPWAY_MORE_TENANTS=true.';

/**
 * Makes another tenant of the caller's organization. Throws `state_forbids` where all tenants would be one
 * trust domain.
 */
export async function createTenant(
  deps: Pick<Deps, 'table' | 'clock' | 'idempotency' | 'settings'>,
  { body }: Pick<RouteInput<typeof row>, 'body'>,
  caller: Caller,
): Promise<TenantView> {
  if (deps.settings.singleTenant === true) throw refuse('state_forbids', { reason: SINGLE });
  const created = {
    organization_id: caller.organizationId,
    name: body.name,
    created_at: new Date(deps.clock.now()).toISOString(),
  };
  const tenantId = deps.clock.orderedId();
  const view = { id: tenantId, ...created };
  const audit = auditOf(deps, caller, 'tenant.create');
  await transact(deps.table, [
    ...putTenant({ tenant_id: tenantId, ...created }, audit),
    ...deps.idempotency.record(view),
  ]);
  return view;
}
