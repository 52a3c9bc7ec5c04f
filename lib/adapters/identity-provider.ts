import { once } from '../contract/once.ts';

/** Who gives bearer tokens to people. */
export type IdentityProvider = {
  /**
   * The user that a token is from; undefined for a token that is not good, whatever is wrong with it. Throws
   * `unavailable` when the issuer's keys cannot be had.
   */
  subjectOf(token: string): Promise<string | undefined>;
};

/** An OpenID Connect issuer, and whom its tokens must be for. */
export type OidcSettings = { issuer: string; audience: string };

/** Without an issuer no bearer is good. */
const nobody: IdentityProvider = { subjectOf: async () => undefined };

/**
 * The issuer of an installation. What verifies its tokens is loaded when the first one comes: most requests
 * carry a key.
 */
export function oidcProvider(settings: OidcSettings | undefined, now: () => number): IdentityProvider {
  if (settings === undefined) return nobody;
  const opened = once(async () => (await import('./oidc.ts')).openOidc(settings, now));
  return { subjectOf: async (token) => (await opened()).subjectOf(token) };
}
