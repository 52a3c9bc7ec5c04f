import type { listMembers as row } from '../../contract/routes/identity.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import { member } from '../../store/identity-items.ts';
import { memberKey } from '../../store/keys.ts';
import { queryAll } from '../../store/operations.ts';
import type { Table } from '../../store/table.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { pageOf } from '../page.ts';

type Shown = RouteOutput<typeof row>['resources'][number];

/** The members of the caller's tenant, in an order of their own that stays the same. */
export async function listMembers(
  deps: Pick<Deps, 'table'>,
  { query }: Pick<RouteInput<typeof row>, 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const page = await pageOf(members(deps.table, caller.tenantId, query.offset + query.limit), query);
  return { resources: page.rows, offset: page.offset };
}

async function* members(table: Table, tenantId: string, limit: number): AsyncGenerator<Shown> {
  for await (const item of queryAll(table, member, { pk: memberKey(tenantId, '').pk, limit })) {
    const { sk: id, user_id, role, created_at } = item;
    if (item.removed_at === undefined) yield { id, user_id, role, created_at };
  }
}
