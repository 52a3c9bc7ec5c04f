import type { Role } from '../contract/roles.ts';

/**
 * What a key is made with: another key, a session of the console, or a bearer token. `endsAt`, in epoch
 * milliseconds: when that key ends, or the one that the session was opened with; absent: never.
 */
export type KeyMaker = { kind: 'key' | 'session' | 'bearer'; endsAt?: number };

/** The latest possible end of a new key, in epoch milliseconds, and what it is the end of. */
export type LatestEnd = { at: number; of: 'key' | 'opener' | 'days' };

const DAY_MILLISECONDS = 86_400_000;

/**
 * How long a new key may be good; undefined: without end. No key outlives what it was made with, through any
 * number of keys between. What is made by hand, in a session or with a bearer token, ends after `keyDays` at
 * the latest, unless a listener lives by it.
 */
export function latestEnd(
  { kind, endsAt }: KeyMaker,
  role: Role,
  { now, keyDays }: { now: number; keyDays: number },
): LatestEnd | undefined {
  const ofMaker: LatestEnd | undefined =
    endsAt === undefined ? undefined : { at: endsAt, of: kind === 'key' ? 'key' : 'opener' };
  if (kind === 'key' || role === 'listener') return ofMaker;
  const ofDays: LatestEnd = { at: now + keyDays * DAY_MILLISECONDS, of: 'days' };
  return ofMaker !== undefined && ofMaker.at <= ofDays.at ? ofMaker : ofDays;
}
