import { absent, put } from '../../store/expressions.ts';
import { organisationKey, tenantKey } from '../../store/keys.ts';
import { transact } from '../../store/operations.ts';
import type { Deps } from '../deps.ts';
import { apiKeyWrite } from './create-api-key.ts';

export type Bootstrapped = { organisationId: string; tenantId: string; userId: string; apiKey: string };

/** Makes an organisation, its first tenant and a key of the tenant's administrator, in one transaction. */
export async function bootstrap(
  deps: Pick<Deps, 'table' | 'clock'>,
  names: { organisation: string; tenant: string },
): Promise<Bootstrapped> {
  const [organisationId, tenantId, userId] = [
    deps.clock.randomId(),
    deps.clock.randomId(),
    deps.clock.randomId(),
  ];
  const created_at = new Date(deps.clock.now()).toISOString();
  const name = 'first key';
  const { key, write } = apiKeyWrite(deps, { organisationId, tenantId, userId, role: 'admin', name });
  await transact(deps.table, [
    put(
      'organisation',
      {
        ...organisationKey(organisationId),
        v: 1,
        entity: 'organisation',
        organisation_id: organisationId,
        name: names.organisation,
        created_at,
      },
      absent('pk'),
    ),
    put(
      'tenant',
      {
        ...tenantKey(tenantId),
        v: 1,
        entity: 'tenant',
        tenant_id: tenantId,
        organisation_id: organisationId,
        name: names.tenant,
        created_at,
      },
      absent('pk'),
    ),
    write,
  ]);
  return { organisationId, tenantId, userId, apiKey: key };
}
