import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { hasItsRule } from '../../core/identity/authenticate.ts';
import { findApiKey } from '../../core/items/api-keys.ts';
import { pageOf } from '../../core/page.ts';
import type { listApiKeys as row } from './routes.ts';
import { ownerInScope } from './scope.ts';
import { apiKeyRows } from './store.ts';
import { apiKeyViewOf } from './view.ts';

/** Keys of the tenant, or the organization's own, newest first; expired ones too, revoked ones not. */
export async function listApiKeys(
  deps: Pick<Deps, 'table'>,
  { query }: Pick<RouteInput<typeof row>, 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const owner = ownerInScope(caller, query.scope, 'organization_keys:read');
  const page = await pageOf(apiKeyRows(deps.table, owner, query.offset + query.limit), query);
  const shown = await Promise.all(
    page.rows.map(async ({ hash, last_used_at }) => {
      const key = await findApiKey(deps.table, hash);
      // Who revokes a key in the table by hand leaves its row, and a rule of CI those of its keys.
      return key === undefined || key.revoked_at !== undefined || !(await hasItsRule(deps, key))
        ? []
        : [apiKeyViewOf(key, last_used_at)];
    }),
  );
  return { resources: shown.flat(), offset: page.offset };
}
