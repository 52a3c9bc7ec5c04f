import type { listTenants as row } from '../../contract/routes/identity.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import { tenantRow } from '../../store/identity-items.ts';
import { tenantRowKey } from '../../store/keys.ts';
import { queryAll } from '../../store/operations.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { pageOf } from '../page.ts';

/** The tenants of the caller's organization, newest first. */
export async function listTenants(
  deps: Pick<Deps, 'table'>,
  { query }: Pick<RouteInput<typeof row>, 'query'>,
  { organizationId }: Caller,
): Promise<RouteOutput<typeof row>> {
  const { pk } = tenantRowKey(organizationId, '');
  const limit = query.offset + query.limit;
  const rows = queryAll(deps.table, tenantRow, { pk, newestFirst: true, limit });
  const page = await pageOf(rows, query);
  return {
    resources: page.rows.map(({ sk: id, name, created_at }) => ({
      id,
      organization_id: organizationId,
      name,
      created_at,
    })),
    offset: page.offset,
  };
}
