import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { findOwnToken, ownerOfCaller } from '../../core/items/oauth-tokens.ts';
import { removeToken } from './remove.ts';
import { type RevokeDeps, revokeAtOnce } from './revoke.ts';
import type { deleteToken as row } from './routes.ts';

/**
 * Deletes one token of the caller, with the connections that use it; revokes it at its provider, after the
 * response if that takes long. Throws 404.
 */
export async function deleteToken(
  deps: RevokeDeps & Pick<Deps, 'settings'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<undefined> {
  const { token_id: id } = params;
  const token = await findOwnToken(deps.table, ownerOfCaller(caller), id);
  const removed = token && (await removeToken(deps, token, caller));
  if (removed === undefined) throw refuse('oauth_token_not_found', { id });
  await revokeAtOnce(deps, removed.revocation === undefined ? [] : [removed.revocation]);
}
