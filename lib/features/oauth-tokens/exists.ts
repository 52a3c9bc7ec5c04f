import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { hasNamedTokens } from './named.ts';
import type { tokenExists as row } from './routes.ts';

/**
 * Whether the caller has any token of a provider; one that needs consent again counts too. Throws 404 as
 * `namedTokens` does.
 */
export async function tokenExists(
  deps: Pick<Deps, 'table'>,
  { query }: Pick<RouteInput<typeof row>, 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  return { has_token: await hasNamedTokens(deps, query.provider_id, caller) };
}
