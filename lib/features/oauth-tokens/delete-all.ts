import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { namedTokens } from './named.ts';
import { type Removed, removeToken } from './remove.ts';
import { type RevokeDeps, revokeAtOnce } from './revoke.ts';
import type { deleteTokens as row } from './routes.ts';

/** So many are removed side by side. */
const SIDE_BY_SIDE = 10;

/**
 * Deletes all of the caller's tokens of a provider, with the connections that use them. Nobody is given them
 * here any more when this returns; what the provider has not heard by then it is told behind the answer.
 * Throws 404 as `namedTokens` does.
 */
export async function deleteTokens(
  deps: RevokeDeps & Pick<Deps, 'settings'>,
  { query }: Pick<RouteInput<typeof row>, 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const { providerId: provider_id, tokens } = await namedTokens(deps, query.provider_id, caller);
  const removed: Removed[] = [];
  for (let start = 0; start < tokens.length; start += SIDE_BY_SIDE) {
    const some = tokens.slice(start, start + SIDE_BY_SIDE);
    const done = await Promise.all(some.map((token) => removeToken(deps, token, caller)));
    removed.push(...done.filter((each) => each !== undefined));
  }
  await revokeAtOnce(
    deps,
    removed.flatMap(({ revocation }) => revocation ?? []),
  );
  return { message: messageOf(provider_id, removed.length), provider_id, deleted: removed.length };
}

const messageOf = (providerId: string, count: number): string =>
  `Deleted ${count} ${count === 1 ? 'token' : 'tokens'} of OAuth provider '${providerId}'.`;
