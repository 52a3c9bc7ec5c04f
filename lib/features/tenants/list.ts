import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { pageOf } from '../../core/page.ts';
import type { listTenants as row } from './routes.ts';
import { tenantRows } from './store.ts';

/** The tenants of the caller's organization, newest first. */
export async function listTenants(
  deps: Pick<Deps, 'table'>,
  { query }: Pick<RouteInput<typeof row>, 'query'>,
  { organizationId }: Caller,
): Promise<RouteOutput<typeof row>> {
  const page = await pageOf(tenantRows(deps.table, organizationId, query.offset + query.limit), query);
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
