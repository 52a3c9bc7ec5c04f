import type { IntegrationType } from '../contract/integration-types.ts';

/** What a host says of a token. Undefined wherever it does not say. */
export type CheckedToken = {
  /** Whether the host takes it. */
  isTaken: boolean;
  /** Whose it is, as the host names them. */
  user: string | undefined;
  /** When it ends, in ISO 8601. */
  expiresAt: string | undefined;
  scopes: readonly string[] | undefined;
  /** Whether it may fetch repositories, and set statuses of commits. */
  mayRead: boolean | undefined;
  maySetStatuses: boolean | undefined;
  /** Scopes that it lacks for either. */
  missing: readonly string[];
};

/** What hosts say of tokens. */
export type TokenChecks = {
  /** Asks once. Throws HostFailed when the host does not answer as it should. */
  check(access: { type: IntegrationType; host: string; token: string }): Promise<CheckedToken>;
};
