import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { pageOf } from '../../core/page.ts';
import type { listTokenRules as row } from './routes.ts';
import { tokenRulesOf } from './store.ts';
import { tokenRuleViewOf } from './view.ts';

/** The rules of the caller's tenant, newest first. */
export async function listTokenRules(
  deps: Pick<Deps, 'table'>,
  { query }: Pick<RouteInput<typeof row>, 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const page = await pageOf(tokenRulesOf(deps.table, caller.tenantId, query.offset + query.limit), query);
  return { resources: page.rows.map(tokenRuleViewOf), offset: page.offset };
}
