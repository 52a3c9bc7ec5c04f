/** How long a new key is good, as it is offered. */
export const expiries = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'A year'],
  ['never', 'Until it is revoked'],
] as const;
export type Expiry = (typeof expiries)[number][0];

const DAY_MILLISECONDS = 86_400_000;

/** When a key that is made at `now` (epoch milliseconds) ends; undefined: by itself never. */
export const expiryOf = (chosen: Expiry, now: number): string | undefined =>
  chosen === 'never' ? undefined : new Date(now + Number(chosen) * DAY_MILLISECONDS).toISOString();
