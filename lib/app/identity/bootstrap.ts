import { absent, put } from '../../store/expressions.ts';
import { organisationKey } from '../../store/keys.ts';
import { transact } from '../../store/operations.ts';
import type { Deps } from '../deps.ts';
import { tenantWrites } from '../tenants/writes.ts';
import { apiKeyWrites } from './create-api-key.ts';

export type Bootstrapped = { organisationId: string; tenantId: string; userId: string; apiKey: string };

/**
 * Makes an organisation, its first tenant and a key of the tenant, in one transaction. The key is of an administrator of the organisation:
 * nobody else could make another one.
 */
export async function bootstrap(
  deps: Pick<Deps, 'table' | 'clock'>,
  names: { organisation: string; tenant: string },
): Promise<Bootstrapped> {
  const [organisationId, tenantId, userId] = [
    deps.clock.randomId(),
    deps.clock.orderedId(),
    deps.clock.randomId(),
  ];
  const created_at = new Date(deps.clock.now()).toISOString();
  const key = apiKeyWrites(deps, {
    organisationId,
    tenantId,
    userId,
    role: 'organisation_admin',
    name: 'first key',
  });
  const organisation = {
    v: 1,
    entity: 'organisation',
    organisation_id: organisationId,
    name: names.organisation,
    created_at,
  };
  await transact(deps.table, [
    put('organisation', { ...organisationKey(organisationId), ...organisation }, absent('pk')),
    ...tenantWrites({ organisationId, tenantId, name: names.tenant, created_at }),
    ...key.writes,
  ]);
  return { organisationId, tenantId, userId, apiKey: key.key };
}
