// Numbers that functions know too. They bundle this file, so no text stands in it: what each number does is
// said by its row in installation.ts, aws.ts and embedded.ts.

/** What holds unless an installation says otherwise. */
export const installationDefaults = {
  unclaimedSeconds: 900,
  silentSeconds: 900,
  buildSeconds: 1800,
  /** A burst of pushes is built by one builder after the other. */
  buildQueueSeconds: 7200,
  keptArtifacts: 5,
  auditDays: 400,
  keyDays: 90,
} as const;

/** How much a tenant may have: its settings are called the same, with `Max` at their end. */
export const limitDefaults = {
  deployments: 500,
  listeners: 50,
  webhooks: 20,
  integrations: 50,
  keys: 500,
  waitingRevisions: 500,
} as const;

/** So many of a tenant's builds run at once where the builder has no queue of its own; more wait. */
export const BUILDS_AT_ONCE = 5;

export type InstallationNumbers = { -readonly [Name in keyof typeof installationDefaults]: number };
export type TenantLimits = { -readonly [Kind in keyof typeof limitDefaults]: number };
