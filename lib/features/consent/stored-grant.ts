import { ApiError, refuse } from '../../contract/errors.ts';
import type { Deps } from '../../core/deps.ts';
import type { OAuthProvider } from '../../core/items/oauth-providers.ts';
import type { OAuthToken } from '../../core/items/oauth-token-shapes.ts';
import { type TokenOwner, tokensOf } from '../../core/items/oauth-tokens.ts';
import { type FreshDeps, type FreshToken, freshAccessToken } from '../../core/oauth/fresh.ts';
import { coversScopes } from '../../core/oauth/token-rules.ts';
import { type AgentOwner, connectionsOf } from '../oauth-connections/store.ts';

/** What the caller's stored grants are good for; `expired` names the one that a new consent would renew. */
export type StoredGrant =
  | { kind: 'usable'; fresh: FreshToken }
  | { kind: 'expired'; token: OAuthToken }
  | { kind: 'elsewhere' }
  | { kind: 'none' };

type Wish = { scopes: readonly string[]; tokenId: string | undefined };

/**
 * The grant that authenticate answers with: one of exactly this person and agent, or one that the agent was
 * connected to. `elsewhere`: there is one of the same person that the agent could be connected to. Throws 404
 * for a `tokenId` that is not the caller's, 503 when the provider has to be asked and does not answer.
 */
export async function storedGrant(
  deps: FreshDeps,
  owner: TokenOwner,
  provider: OAuthProvider,
  { scopes, tokenId }: Wish,
): Promise<StoredGrant> {
  const own = await tokensOf(deps.table, owner, provider.provider_id);
  if (tokenId !== undefined) {
    const [usable] = covering([namedAmong(own, tokenId)], scopes);
    return usable === undefined ? { kind: 'none' } : firstUsable(deps, provider, [usable]);
  }
  const candidates = covering(
    own.filter((token) => token.user_id === owner.userId),
    scopes,
  );
  const exact = candidates.filter((token) => token.agent_id === owner.agentId);
  const others = candidates.filter((token) => token.agent_id !== owner.agentId);
  const { agentId } = owner;
  if (agentId === undefined || others.length === 0) return firstUsable(deps, provider, exact);
  const connected = await connectedTokens(deps, { ...owner, agentId });
  const found = await firstUsable(deps, provider, [
    ...exact,
    ...others.filter(({ id }) => connected.has(id)),
  ]);
  return found.kind === 'none' ? { kind: 'elsewhere' } : found;
}

/**
 * Nothing, for a person who is to be asked in any case: then no provider is, which might not answer. Throws
 * 404 for a `tokenId` that is not the caller's.
 */
export async function noGrant(
  { table }: Pick<Deps, 'table'>,
  owner: TokenOwner,
  provider: OAuthProvider,
  { tokenId }: Wish,
): Promise<StoredGrant> {
  if (tokenId !== undefined) namedAmong(await tokensOf(table, owner, provider.provider_id), tokenId);
  return { kind: 'none' };
}

function namedAmong(own: readonly OAuthToken[], tokenId: string): OAuthToken {
  const named = own.find(({ id }) => id === tokenId);
  if (named === undefined) throw refuse('oauth_token_not_found', { id: tokenId });
  return named;
}

async function connectedTokens({ table }: Pick<Deps, 'table'>, owner: AgentOwner): Promise<Set<string>> {
  return new Set((await connectionsOf(table, owner)).map(({ token_id }) => token_id));
}

/** The first that can be used; when none can, the first of those that need consent again. */
async function firstUsable(
  deps: FreshDeps,
  provider: OAuthProvider,
  tokens: readonly OAuthToken[],
): Promise<StoredGrant> {
  for (const token of tokens) {
    try {
      return { kind: 'usable', fresh: await freshAccessToken(deps, token, provider) };
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'token_expired') throw error;
    }
  }
  const [token] = tokens;
  return token === undefined ? { kind: 'none' } : { kind: 'expired', token };
}

/**
 * The tokens that cover these scopes, the best one first: one that is taken, the default, what was granted
 * last.
 */
export const covering = (tokens: readonly OAuthToken[], scopes: readonly string[]): OAuthToken[] =>
  tokens.filter((token) => coversScopes(token, scopes)).toSorted(byWorth);

const byWorth = (a: OAuthToken, b: OAuthToken): number =>
  Number(b.status === 'active') - Number(a.status === 'active') ||
  Number(b.is_default) - Number(a.is_default) ||
  (a.id < b.id ? 1 : -1);
