import { once } from '../contract/once.ts';
import type { GuardedFetch } from './outbound/guarded-fetch.ts';

/** A token that one of the issuers has signed for us, and that has not expired. */
export type SignedToken = {
  issuer: string;
  /** Who it is of. The issuer is part of it, but for the one whose bearer tokens are taken, too. */
  userId: string;
  jti: string;
  /** Until when it counts, in epoch seconds. */
  expiresAt: number;
  claims: Readonly<Record<string, unknown>>;
};

/** Who signs the tokens of jobs, for exchanges. */
export type TokenIssuers = {
  issuers: readonly string[];
  /**
   * A token whose audience is this address, or why it is refused, as the end of a sentence about it. Throws
   * `unavailable` when its issuer's keys cannot be had.
   */
  verify(token: string, audience: string): Promise<SignedToken | { reason: string }>;
};

/** Metadata and keys of an issuer are of some kilobytes. */
export const issuerAnswers = { sizeBytesMax: 1024 * 1024, timeoutSeconds: 5 };

export type TokenIssuerSettings = {
  /** Beside `own`. */
  issuers: readonly string[];
  /** The issuer whose bearer tokens are taken: its users are called as there. */
  own: string | undefined;
};

/** What verifies tokens is loaded when the first one comes. `fetch` gets where the keys are, and the keys. */
export function tokenIssuers(
  { issuers, own }: TokenIssuerSettings,
  fetch: () => GuardedFetch,
  now: () => number,
): TokenIssuers {
  const all = [...new Set([...(own === undefined ? [] : [own]), ...issuers])];
  const opened = once(async () =>
    (await import('./oidc.ts')).openTokenIssuers({ issuers: all, own }, fetch(), now),
  );
  return { issuers: all, verify: async (token, audience) => (await opened())(token, audience) };
}
