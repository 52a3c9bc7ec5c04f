import type { ManagedComputeType } from '../../compute/kinds.ts';
import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { createListenerWrites } from '../../core/items/listener-writes.ts';
import { newManagedListener } from '../../core/items/managed.ts';
import { recount } from '../../store/counts.ts';
import { transact, type Write } from '../../store/dynamodb/transact.ts';
import type { createTenant as row } from './routes.ts';
import type { TenantView } from './shape.ts';
import { putTenant } from './store.ts';

const SINGLE =
  'Builds and agents of all tenants run as one user of this machine. To create another tenant anyway, start it with SLIPWAY_MORE_TENANTS=true.';

/**
 * Makes another tenant of the caller's organization, with its managed listener where there is one. Throws
 * `state_forbids` where all tenants would be one trust domain.
 */
export async function createTenant(
  deps: Pick<Deps, 'table' | 'clock' | 'idempotency' | 'settings'>,
  { body }: Pick<RouteInput<typeof row>, 'body'>,
  caller: Caller,
): Promise<TenantView> {
  if (deps.settings.singleTenant === true) throw refuse('state_forbids', { reason: SINGLE });
  const now = deps.clock.now();
  const created = {
    organization_id: caller.organizationId,
    name: body.name,
    created_at: new Date(now).toISOString(),
  };
  const tenantId = deps.clock.orderedId();
  const view = { id: tenantId, ...created };
  const audit = auditMarkOf(deps, { action: 'tenant.create' }, caller);
  const { managedCompute } = deps.settings;
  await transact(deps.table, [
    ...putTenant({ tenant_id: tenantId, ...created }, audit),
    ...(managedCompute === undefined ? [] : managed(managedCompute, tenantId, now)),
    ...deps.idempotency.record(view),
  ]);
  return view;
}

const managed = (type: ManagedComputeType, tenantId: string, now: number): Write[] => [
  ...createListenerWrites(newManagedListener(type, tenantId, now)),
  recount({ tenantId }, 'listeners', undefined, { count: 1, now }),
];
