import { equals, same, update } from '../dynamodb/expressions.ts';
import type { Write } from '../dynamodb/transact.ts';
import { keyOfToken } from '../keys/oauth.ts';
import type { OAuthToken } from './tokens.ts';

/** Who refreshes a token holds its lease. Times in epoch milliseconds. */

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
