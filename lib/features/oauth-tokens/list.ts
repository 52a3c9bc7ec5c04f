import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { namedTokens } from './named.ts';
import type { listTokens as row } from './routes.ts';
import { oauthTokenViewOf } from './view.ts';

/**
 * The caller's tokens of a provider, newest first, for whichever person and agent. Throws 404 as
 * `namedTokens` does.
 */
export async function listTokens(
  deps: Pick<Deps, 'table'>,
  { query }: Pick<RouteInput<typeof row>, 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const { tokens } = await namedTokens(deps, query.provider_id, caller);
  return tokens.toSorted((a, b) => (a.id < b.id ? 1 : -1)).map(oauthTokenViewOf);
}
