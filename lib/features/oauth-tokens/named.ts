import { refuse } from '../../contract/errors.ts';
import { id as idSchema } from '../../contract/validation/query.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { findNamedProvider, isNameOfId } from '../../core/items/oauth-providers.ts';
import type { OAuthToken } from '../../core/items/oauth-token-shapes.ts';
import { ownerOfCaller, tokensOf } from '../../core/items/oauth-tokens.ts';
import { providerId as providerIdSchema } from '../oauth-providers/shape.ts';
import { allTokensOf, hasTokens } from './store.ts';

type Reading = Pick<Deps, 'table'>;

/**
 * The caller's tokens of the provider that a request names by `provider_id` or `id`, for whichever person and
 * agent. Tokens outlive their provider. Throws 404 when there is neither.
 */
export async function namedTokens(
  deps: Reading,
  name: string,
  caller: Caller,
): Promise<{ providerId: string; tokens: OAuthToken[] }> {
  const provider = await findNamedProvider(deps.table, caller.organizationId, name);
  if (provider === undefined) return tokensLeft(deps, name, caller);
  const { provider_id: providerId } = provider;
  return { providerId, tokens: await tokensOf(deps.table, ownerOfCaller(caller), providerId) };
}

/** Whether there are such tokens. Throws as `namedTokens` does. */
export async function hasNamedTokens(deps: Reading, name: string, caller: Caller): Promise<boolean> {
  const provider = await findNamedProvider(deps.table, caller.organizationId, name);
  if (provider !== undefined) return hasTokens(deps.table, ownerOfCaller(caller), provider.provider_id);
  return (await tokensLeft(deps, name, caller)).tokens.length > 0;
}

/** What is left of a provider that is gone. */
async function tokensLeft(
  { table }: Reading,
  name: string,
  caller: Caller,
): Promise<{ providerId: string; tokens: OAuthToken[] }> {
  const owner = ownerOfCaller(caller);
  const byName = providerIdSchema.safeParse(name).success ? await tokensOf(table, owner, name) : [];
  const mayBeId = byName.length === 0 && idSchema.safeParse(name).success;
  const byId = mayBeId ? await allTokensOf(table, owner) : [];
  const tokens = [...byName, ...byId.filter((token) => isNameOfId(name, token.provider_uid))];
  const [first] = tokens;
  if (first === undefined) throw refuse('oauth_provider_not_found', { providerId: name });
  return { providerId: first.provider_id, tokens };
}
