import { createHash } from 'node:crypto';
import { collected } from '../../store/dynamodb/collected.ts';
import { equals, present, same, update } from '../../store/dynamodb/expressions.ts';
import { find, queryAll } from '../../store/dynamodb/reads.ts';
import { startingWith } from '../../store/dynamodb/sort-key-range.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import type { Key } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';
import type { AuditMark } from './audit-events.ts';
import { type OAuthToken, type OAuthTokenPlace, oauthToken, oauthTokenPlace } from './oauth-token-shapes.ts';

/** The user whose key asked for a token. */
export type Owner = { tenantId: string; ownerId: string };

/**
 * Who a token is of: its owner, and in the caller's words a person and an agent, as far as they are named.
 */
export type TokenOwner = Owner & { userId: string | undefined; agentId: string | undefined };

/** What people are called elsewhere is any text, and perhaps an address of theirs: it stands in no key. */
export const keyDigest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Where sort keys begin of a provider's tokens; `claimed`: only those of this person and agent. */
export const oauthTokenPrefix = (
  providerId: string,
  claimed?: Pick<TokenOwner, 'userId' | 'agentId'>,
): string =>
  claimed === undefined
    ? `${providerId}#`
    : `${providerId}#${keyDigest([claimed.userId, claimed.agentId].join('\0'))}#`;

export const oauthTokensPk = ({ tenantId, ownerId }: Owner): string =>
  `T#${tenantId}#OT#${keyDigest(ownerId)}`;

export const oauthTokenKey = (owner: TokenOwner, providerId: string, tokenId: string): Key => ({
  pk: oauthTokensPk(owner),
  sk: `${oauthTokenPrefix(providerId, owner)}${tokenId}`,
});

/** The key of a stored token. */
export const keyOfToken = (token: {
  tenant_id: string;
  owner_id: string;
  user_id?: string | undefined;
  agent_id?: string | undefined;
  provider_id: string;
  id: string;
}): Key => {
  const { tenant_id: tenantId, owner_id: ownerId, user_id: userId, agent_id: agentId } = token;
  return oauthTokenKey({ tenantId, ownerId, userId, agentId }, token.provider_id, token.id);
};

export const oauthTokenPlaceKey = (tenantId: string, tokenId: string): Key => ({
  pk: `T#${tenantId}#OI#${tokenId}`,
  sk: 'A',
});

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

/** The tokens of exactly this person and agent. */
export async function exactTokensOf(
  table: Table,
  owner: TokenOwner,
  providerId: string,
): Promise<OAuthToken[]> {
  return collected(
    queryAll(table, oauthToken, {
      pk: oauthTokensPk(owner),
      between: startingWith(oauthTokenPrefix(providerId, owner)),
    }),
  );
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

/** Makes a token one of those that are not the default. Demands that it is there. */
export const demoteToken = (token: OAuthToken): Write =>
  update(`default ${token.id}`, keyOfToken(token), { set: { is_default: false } }, present('pk'));

/** Whose tokens a caller's own ones are. */
export const ownerOfCaller = ({ tenantId, userId }: { tenantId: string; userId: string }): Owner => ({
  tenantId,
  ownerId: userId,
});

/** What a token has while somebody refreshes it. */
const LEASE = ['lease_id', 'lease_until'];

/** Takes the lease. Demands that the token and its lease are as they were read. */
export const takeTokenLease = (token: OAuthToken, lease: { id: string; until: number }): Write =>
  update(
    'oauth_token',
    keyOfToken(token),
    { set: { lease_id: lease.id, lease_until: lease.until } },
    equals('version', token.version),
    same('lease_id', token.lease_id),
    same('lease_until', token.lease_until),
  );

/** Stores what a refresh gave, and ends the lease. Demands that the lease is still this one. */
export const storeRefreshedToken = (next: OAuthToken, leaseId: string): Write => {
  const { sealed, scopes, expires_at, refresh_from, version, updated_at } = next;
  const gone = (['expires_at', 'refresh_from'] as const).filter((name) => next[name] === undefined);
  return update(
    'oauth_token',
    keyOfToken(next),
    {
      set: { sealed, scopes, expires_at, refresh_from, version, updated_at },
      remove: [...gone, ...LEASE],
    },
    equals('lease_id', leaseId),
  );
};

/**
 * Stores that the provider takes the grant no more, and ends the lease. Demands that the lease is still this
 * one.
 */
export const storeExpiredToken = (next: OAuthToken, leaseId: string): Write => {
  const { status, version, updated_at } = next;
  const change = { set: { status, version, updated_at }, remove: LEASE };
  return update('oauth_token', keyOfToken(next), change, equals('lease_id', leaseId));
};

/** Ends the lease; it cannot be taken again before `until`. Demands that the lease is still this one. */
export const pauseTokenLease = (token: OAuthToken, leaseId: string, until: number): Write => {
  const change = { set: { lease_until: until }, remove: ['lease_id'] };
  return update('oauth_token', keyOfToken(token), change, equals('lease_id', leaseId));
};
