/** How much a tenant may have unless the installation says otherwise: settings of the same names. */
export const limitDefaults = {
  deployments: 500,
  listeners: 50,
  webhooks: 20,
  integrations: 50,
  keys: 500,
  waitingRevisions: 500,
} as const;

export type TenantLimits = { -readonly [Kind in keyof typeof limitDefaults]: number };

/** So many of a tenant's builds run at once where the builder has no queue of its own; more wait. */
export const BUILDS_AT_ONCE = 5;

/** A build waits so long for a builder: a burst of pushes is built by one builder after the other. */
export const BUILD_QUEUE_SECONDS = 7200;

/** Whoever stores an event knows all webhooks of its tenant, so a setting raises them no further. */
export const WEBHOOKS_LIMIT_MAX = 100;

/** What is no longer wanted is taken back so. */
const ways = {
  deployments: 'delete one (those that are being deleted count until they are gone)',
  listeners: 'delete one',
  webhooks: 'delete one',
  integrations: 'delete one',
  keys: 'revoke one (expired ones count too)',
} as const;

export type CountedKind = keyof typeof ways;

/** `deploymentsMax`, as the setting of a limit is called. */
export const settingOf = (kind: CountedKind): string => `${kind}Max`;

export const wayOutOf = (kind: CountedKind): string => ways[kind];
