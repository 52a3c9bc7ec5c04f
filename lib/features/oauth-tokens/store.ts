import type { AuditMark } from '../../core/items/audit-events.ts';
import {
  keyOfRevocation,
  REVOCATIONS_DUE,
  type Revocation,
  revocation,
} from '../../core/items/oauth-revocations.ts';
import { type OAuthToken, type OAuthTokenPlace, oauthToken } from '../../core/items/oauth-token-shapes.ts';
import {
  keyOfToken,
  type Owner,
  oauthTokenPlaceKey,
  oauthTokenPrefix,
  oauthTokensPk,
} from '../../core/items/oauth-tokens.ts';
import { dueItems } from '../../store/due.ts';
import { collected } from '../../store/dynamodb/collected.ts';
import { equals, present, remove, update } from '../../store/dynamodb/expressions.ts';
import { queryAll, queryPage } from '../../store/dynamodb/reads.ts';
import { startingWith } from '../../store/dynamodb/sort-key-range.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import type { Table } from '../../store/table.ts';

/** All of a user's tokens, of every provider. */
export const allTokensOf = (table: Table, owner: Owner): Promise<OAuthToken[]> =>
  collected(queryAll(table, oauthToken, { pk: oauthTokensPk(owner) }));

export async function hasTokens(table: Table, owner: Owner, providerId: string): Promise<boolean> {
  const query = { pk: oauthTokensPk(owner), between: startingWith(oauthTokenPrefix(providerId)), limit: 1 };
  return (await queryPage(table, oauthToken, query)).items.length > 0;
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

/** Removes a revocation, if it is there. */
export const forgetRevocation = (item: Revocation): Write => remove('revocation', keyOfRevocation(item));

/** Counts a failed attempt; the next one is due at `dueAt`. Demands that the revocation is there. */
export const postponeRevocation = (item: Revocation, dueAt: number): Write =>
  update(
    'revocation',
    keyOfRevocation(item),
    { set: { due_at: dueAt }, add: { attempts: 1 } },
    present('pk'),
  );

/** The partitions with revocations that are due by `until` (epoch milliseconds): one for each token. */
export async function dueRevocations(table: Table, until: number): Promise<string[]> {
  const partitions = new Set<string>();
  for await (const { pk } of dueItems(table, REVOCATIONS_DUE, until)) partitions.add(pk);
  return [...partitions];
}

/** The revocations in one partition. */
export const revocationsIn = (table: Table, pk: string): AsyncGenerator<Revocation> =>
  queryAll(table, revocation, { pk });
