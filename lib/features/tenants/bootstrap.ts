import type { Deps } from '../../core/deps.ts';
import { apiKeyWrites } from '../../core/identity/issue-api-key.ts';
import { countOneMore } from '../../store/counts.ts';
import { transact } from '../../store/dynamodb/transact.ts';
import { putOrganization, putTenant } from './store.ts';

type Bootstrapped = { organizationId: string; tenantId: string; userId: string; apiKey: string };

/**
 * Makes an organization, its first tenant and a key of the tenant, in one transaction. The key is of an
 * administrator of the organization: nobody else could make another one.
 */
export async function bootstrap(
  deps: Pick<Deps, 'table' | 'clock'>,
  names: { organization: string; tenant: string },
): Promise<Bootstrapped> {
  const [organizationId, tenantId, userId] = [
    deps.clock.randomId(),
    deps.clock.orderedId(),
    deps.clock.randomId(),
  ];
  const created_at = new Date(deps.clock.now()).toISOString();
  const key = apiKeyWrites(deps, {
    organizationId,
    tenantId,
    userId,
    role: 'organization_admin',
    name: 'first key',
  });
  const organization = {
    v: 1,
    entity: 'organization',
    organization_id: organizationId,
    name: names.organization,
    created_at,
  } as const;
  const tenant = { organization_id: organizationId, tenant_id: tenantId, name: names.tenant, created_at };
  await transact(deps.table, [
    putOrganization(organization),
    ...putTenant(tenant),
    ...key.writes,
    countOneMore({ tenantId }, 'keys'),
  ]);
  return { organizationId, tenantId, userId, apiKey: key.key };
}
