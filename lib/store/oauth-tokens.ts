import * as z from 'zod';
import { anyObject } from '../contract/as-given.ts';
import { collected } from './collected.ts';
import type { Key } from './keys.ts';
import { oauthTokenKey, oauthTokenPlaceKey, oauthTokenPrefix, type TokenOwner } from './oauth-keys.ts';
import { find, queryAll, queryPage } from './operations.ts';
import { startingWith } from './sort-key-range.ts';
import type { Table } from './table.ts';

export type { TokenOwner } from './oauth-keys.ts';

/** What a person has granted at a provider: an access token, mostly with a refresh token. Times in epoch milliseconds but for those that are shown. */
export const oauthToken = z.object({
  v: z.literal(1),
  entity: z.literal('oauth_token'),
  tenant_id: z.string(),
  id: z.string(),
  owner_id: z.string(),
  /** As the caller named them; empty: not named. */
  user_id: z.string(),
  agent_id: z.string(),
  organization_id: z.string(),
  provider_id: z.string(),
  /** The provider's own id, and where its tokens come from: what has other ones now is another server, and is sent nothing. */
  provider_uid: z.string(),
  token_url: z.string(),
  /** Access and refresh token; opens only under this tenant and token. */
  sealed: z.string(),
  has_refresh_token: z.boolean(),
  /** expired: the provider takes the grant no more; only a new consent helps. */
  status: z.enum(['active', 'expired']),
  scopes: z.array(z.string()),
  account_label: z.string().optional(),
  is_default: z.boolean(),
  metadata: anyObject().optional(),
  /** Of the access token; absent: the provider did not say. */
  expires_at: z.number().optional(),
  /** From then on it is refreshed before it is handed out. */
  refresh_from: z.number().optional(),
  /** Rises with every new access token and every change of status. */
  version: z.int(),
  /** Who refreshes it now. With a time and no id: nobody tries again before that. */
  lease_id: z.string().optional(),
  lease_until: z.number().optional(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type OAuthToken = z.infer<typeof oauthToken>;

/** Where a token lies, by its id; and how many connections it has, so that none is made while it goes. */
export const oauthTokenPlace = z.object({
  v: z.literal(1),
  entity: z.literal('oauth_token_place'),
  tenant_id: z.string(),
  id: z.string(),
  owner_id: z.string(),
  token_sk: z.string(),
  connections: z.int(),
});
export type OAuthTokenPlace = z.infer<typeof oauthTokenPlace>;

export const ownerOf = (token: OAuthToken): TokenOwner => ({
  tenantId: token.tenant_id,
  ownerId: token.owner_id,
  userId: token.user_id,
  agentId: token.agent_id,
});

export const keyOfToken = (token: OAuthToken): Key =>
  oauthTokenKey(ownerOf(token), token.provider_id, token.id);

type Owned = Pick<TokenOwner, 'tenantId' | 'ownerId'>;

const pkOf = (owner: Owned): string => oauthTokenKey({ ...owner, userId: '', agentId: '' }, '', '').pk;

/** All of a user's tokens of a provider, whichever person and agent they are for. */
export async function tokensOf(table: Table, owner: Owned, providerId: string): Promise<OAuthToken[]> {
  return collected(
    queryAll(table, oauthToken, { pk: pkOf(owner), between: startingWith(oauthTokenPrefix(providerId)) }),
  );
}

/** All of a user's tokens, of every provider. */
export const allTokensOf = (table: Table, owner: Owned): Promise<OAuthToken[]> =>
  collected(queryAll(table, oauthToken, { pk: pkOf(owner) }));

/** The tokens of exactly this person and agent. */
export async function matching(table: Table, owner: TokenOwner, providerId: string): Promise<OAuthToken[]> {
  return collected(
    queryAll(table, oauthToken, {
      pk: pkOf(owner),
      between: startingWith(oauthTokenPrefix(providerId, owner)),
    }),
  );
}

export async function hasTokens(table: Table, owner: Owned, providerId: string): Promise<boolean> {
  const query = { pk: pkOf(owner), between: startingWith(oauthTokenPrefix(providerId)), limit: 1 };
  return (await queryPage(table, oauthToken, query)).items.length > 0;
}

export const findTokenAt = (table: Table, owner: Owned, sk: string): Promise<OAuthToken | undefined> =>
  find(table, { pk: pkOf(owner), sk }, oauthToken);

/** Whose this token is and where it lies; undefined when it is another user's. */
export async function findTokenPlace(
  table: Table,
  owner: Owned,
  tokenId: string,
): Promise<OAuthTokenPlace | undefined> {
  const place = await find(table, oauthTokenPlaceKey(owner.tenantId, tokenId), oauthTokenPlace);
  return place?.owner_id === owner.ownerId ? place : undefined;
}

/** A user's own token, by its id. */
export async function findOwnToken(
  table: Table,
  owner: Owned,
  tokenId: string,
): Promise<OAuthToken | undefined> {
  const place = await findTokenPlace(table, owner, tokenId);
  return place === undefined ? undefined : findTokenAt(table, owner, place.token_sk);
}
