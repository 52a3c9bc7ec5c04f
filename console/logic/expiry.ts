/** How long a new key is good, as it is offered; `longest`: as long as who makes it may have it. */
export const expiries = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'A year'],
  ['longest', 'As long as allowed'],
] as const;
export type Expiry = (typeof expiries)[number][0];

const DAY_MILLISECONDS = 86_400_000;

/** So far a browser's clock may be ahead, and the dialog open, before `90 days` are more than 90 days. */
const LEEWAY_MILLISECONDS = 300_000;

/** When a key that is asked for at `now` (epoch milliseconds) ends; undefined: the API decides. */
export const expiryOf = (chosen: Expiry, now: number): string | undefined =>
  chosen === 'longest'
    ? undefined
    : new Date(now - LEEWAY_MILLISECONDS + Number(chosen) * DAY_MILLISECONDS).toISOString();

/** What `GET /v2/me` says of the credential that a key is made with. */
type Maker = { key_id: string | null; is_session: boolean; expires_at: string | null };

/** What is chosen at first: only what is made with a key without end would be without end itself. */
export const firstExpiry = ({ key_id, is_session, expires_at }: Maker, isListener: boolean): Expiry =>
  isListener || key_id === null || is_session || expires_at !== null ? 'longest' : '90';

/** Says when a key that was made ends. */
export const wordsOfEnd = (end: string | null): string =>
  end === null ? 'It works until it is revoked.' : `It works until ${new Date(end).toLocaleString()}.`;
