import { createHash } from 'node:crypto';
import type { Key } from './index.ts';

/** Keys of what people have granted at OAuth providers; the table of all keys stands in index.ts. */

/** Where the sort keys of connections begin beside their token's place. */
export const TOKEN_CONNECTION = 'C#';

/** The user whose key asked for a token. */
export type Owner = { tenantId: string; ownerId: string };

/**
 * Who a token is of: its owner, and in the caller's words a person and an agent, as far as they are named.
 */
export type TokenOwner = Owner & { userId: string | undefined; agentId: string | undefined };

/** What people are called elsewhere is any text, and perhaps an address of theirs: it stands in no key. */
const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Where sort keys begin of a provider's tokens; `claimed`: only those of this person and agent. */
export const oauthTokenPrefix = (
  providerId: string,
  claimed?: Pick<TokenOwner, 'userId' | 'agentId'>,
): string =>
  claimed === undefined
    ? `${providerId}#`
    : `${providerId}#${digest([claimed.userId, claimed.agentId].join('\0'))}#`;

export const oauthTokensPk = ({ tenantId, ownerId }: Owner): string => `T#${tenantId}#OT#${digest(ownerId)}`;

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

/** Beside the token's place, so that who deletes the token finds its connections. */
export const tokenConnectionKey = (tenantId: string, tokenId: string, connectionId: string): Key => ({
  pk: oauthTokenPlaceKey(tenantId, tokenId).pk,
  sk: `${TOKEN_CONNECTION}${connectionId}`,
});

/** Whoever does not own a connection looks in another place for it. */
export const connectionKey = (
  { tenantId, ownerId, agentId }: Owner & { agentId: string },
  connectionId: string,
): Key => ({ pk: `T#${tenantId}#OC#${agentId}`, sk: `${digest(ownerId)}#${connectionId}` });

export const revocationKey = (tenantId: string, tokenId: string, revocationId: string): Key => ({
  pk: `T#${tenantId}#OR#${tokenId}`,
  sk: revocationId,
});

/** The partition of the index in which revocations are due; they are few, and one schedule reads them. */
export const REVOCATIONS_DUE = 'due#revocations';
