import type { tokenExists as row } from '../../../contract/routes/oauth-tokens.ts';
import type { RouteInput, RouteOutput } from '../../../contract/routes/route.ts';
import { hasTokens } from '../../../store/oauth-tokens.ts';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { ownerOfCaller } from './owner.ts';

/** Whether the caller has any token of a provider; one that needs consent again counts too. */
export async function tokenExists(
  { table }: Pick<Deps, 'table'>,
  { query }: Pick<RouteInput<typeof row>, 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  return { has_token: await hasTokens(table, ownerOfCaller(caller), query.provider_id) };
}
