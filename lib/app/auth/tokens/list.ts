import type { listTokens as row } from '../../../contract/routes/oauth-tokens.ts';
import type { RouteInput, RouteOutput } from '../../../contract/routes/route.ts';
import { tokensOf } from '../../../store/oauth-tokens.ts';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { ownerOfCaller } from './owner.ts';
import { oauthTokenView } from './view.ts';

/** The caller's tokens of a provider, newest first, for whichever person and agent. */
export async function listTokens(
  { table }: Pick<Deps, 'table'>,
  { query }: Pick<RouteInput<typeof row>, 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const tokens = await tokensOf(table, ownerOfCaller(caller), query.provider_id);
  return tokens.toSorted((a, b) => (a.id < b.id ? 1 : -1)).map(oauthTokenView);
}
