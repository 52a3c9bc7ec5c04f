import * as z from 'zod';
import { anyObject } from '../../contract/validation/as-given.ts';
import type { AuditMark } from '../audit-events.ts';
import { collected } from '../dynamodb/collected.ts';
import { equals, present, remove, update } from '../dynamodb/expressions.ts';
import { find, queryAll, queryPage } from '../dynamodb/reads.ts';
import { startingWith } from '../dynamodb/sort-key-range.ts';
import type { Write } from '../dynamodb/transact.ts';
import {
  keyOfToken,
  type Owner,
  oauthTokenPlaceKey,
  oauthTokenPrefix,
  oauthTokensPk,
  type TokenOwner,
} from '../keys/oauth.ts';
import type { Table } from '../table.ts';

export type { Owner, TokenOwner } from '../keys/oauth.ts';

/**
 * What a person has granted at a provider: an access token, mostly with a refresh token. Times in epoch
 * milliseconds but for those that are shown.
 */
export const oauthToken = z.object({
  v: z.literal(1),
  entity: z.literal('oauth_token'),
  tenant_id: z.string(),
  id: z.string(),
  owner_id: z.string(),
  /** As the caller named them. */
  user_id: z.string().optional(),
  agent_id: z.string().optional(),
  organization_id: z.string(),
  provider_id: z.string(),
  /**
   * The provider's own id, and where its tokens come from: what has other ones now is another server, and is
   * sent nothing.
   */
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
  /** The request that is refreshing it. With a time and no id: no attempt before that time. */
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

/** All of a user's tokens of a provider, whichever person and agent they are for. */
export async function tokensOf(table: Table, owner: Owner, providerId: string): Promise<OAuthToken[]> {
  return collected(
    queryAll(table, oauthToken, {
      pk: oauthTokensPk(owner),
      between: startingWith(oauthTokenPrefix(providerId)),
    }),
  );
}

/** All of a user's tokens, of every provider. */
export const allTokensOf = (table: Table, owner: Owner): Promise<OAuthToken[]> =>
  collected(queryAll(table, oauthToken, { pk: oauthTokensPk(owner) }));

/** The tokens of exactly this person and agent. */
export async function matching(table: Table, owner: TokenOwner, providerId: string): Promise<OAuthToken[]> {
  return collected(
    queryAll(table, oauthToken, {
      pk: oauthTokensPk(owner),
      between: startingWith(oauthTokenPrefix(providerId, owner)),
    }),
  );
}

export async function hasTokens(table: Table, owner: Owner, providerId: string): Promise<boolean> {
  const query = { pk: oauthTokensPk(owner), between: startingWith(oauthTokenPrefix(providerId)), limit: 1 };
  return (await queryPage(table, oauthToken, query)).items.length > 0;
}

export const findTokenAt = (table: Table, owner: Owner, sk: string): Promise<OAuthToken | undefined> =>
  find(table, { pk: oauthTokensPk(owner), sk }, oauthToken);

/** The token as it is now. */
export const findTokenAgain = (table: Table, token: OAuthToken): Promise<OAuthToken | undefined> =>
  find(table, keyOfToken(token), oauthToken);

/** Whose this token is and where it lies; undefined when it is another user's. */
export async function findTokenPlace(
  table: Table,
  owner: Owner,
  tokenId: string,
): Promise<OAuthTokenPlace | undefined> {
  const place = await find(table, oauthTokenPlaceKey(owner.tenantId, tokenId), oauthTokenPlace);
  return place?.owner_id === owner.ownerId ? place : undefined;
}

/** A user's own token, by its id. */
export async function findOwnToken(
  table: Table,
  owner: Owner,
  tokenId: string,
): Promise<OAuthToken | undefined> {
  const place = await findTokenPlace(table, owner, tokenId);
  return place === undefined ? undefined : findTokenAt(table, owner, place.token_sk);
}

/** What only some tokens have; a grant that replaces another one must not inherit it. */
const OPTIONAL = ['account_label', 'metadata', 'expires_at', 'refresh_from'] as const;

/**
 * Stores what was granted, in place of what was granted before under the same id: ends a refresh that is
 * under way, and counts the version up from what is there by then. Demands nothing: of two grants at once the
 * later one counts. `audit`: who asked for it.
 */
export function putToken({ version: _, ...token }: OAuthToken, audit: AuditMark | undefined): Write[] {
  const { tenant_id, id, owner_id } = token;
  const key = keyOfToken(token);
  const place: Omit<OAuthTokenPlace, 'connections'> = {
    ...{ v: 1, entity: 'oauth_token_place', tenant_id, id, owner_id },
    token_sk: key.sk,
  };
  const gone = OPTIONAL.filter((name) => token[name] === undefined);
  return [
    update('oauth_token', key, {
      set: { ...token, audit },
      add: { version: 1 },
      remove: [...gone, 'lease_id', 'lease_until'],
    }),
    update('oauth_token_place', oauthTokenPlaceKey(tenant_id, id), { set: place, add: { connections: 0 } }),
  ];
}

/**
 * Changes what is noted beside a token, and nothing that a refresh changes. Demands that no refresh has ended
 * since it was read: it is shown with what it was read with.
 */
export function annotateToken(before: OAuthToken, after: OAuthToken, audit: AuditMark): Write {
  const { account_label, metadata, is_default, updated_at } = after;
  const set = { account_label, metadata, is_default, updated_at, audit };
  return update('oauth_token', keyOfToken(before), { set }, present('pk'), equals('version', before.version));
}

/** Makes a token one of those that are not the default. Demands that it is there. */
export const demoteToken = (token: OAuthToken): Write =>
  update(`default ${token.id}`, keyOfToken(token), { set: { is_default: false } }, present('pk'));

/**
 * Removes a token. Demands that it is there, and that no connection was made or removed since its place was
 * read.
 */
export const removeTokenWrites = (token: OAuthToken, { connections }: OAuthTokenPlace): Write[] => [
  remove('oauth_token', keyOfToken(token), present('pk')),
  remove(
    'oauth_token_place',
    oauthTokenPlaceKey(token.tenant_id, token.id),
    equals('connections', connections),
  ),
];
