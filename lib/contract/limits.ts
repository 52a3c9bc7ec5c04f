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
