import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { pageOf } from '../../core/page.ts';
import type { listMembers as row } from './routes.ts';
import { membersOf } from './store.ts';

/** The members of the caller's tenant, in an order of their own that stays the same. */
export async function listMembers(
  deps: Pick<Deps, 'table'>,
  { query }: Pick<RouteInput<typeof row>, 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const page = await pageOf(membersOf(deps.table, caller.tenantId, query.offset + query.limit), query);
  return {
    resources: page.rows.map(({ sk: id, user_id, role, created_at }) => ({ id, user_id, role, created_at })),
    offset: page.offset,
  };
}
