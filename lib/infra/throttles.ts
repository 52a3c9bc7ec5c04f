import { type RouteRow, routeKeysOf } from '../contract/routes/route.ts';
import type { Settings } from './settings.ts';

/**
 * Of what may come on the whole API. Nobody is known there who could be told to stop: a flood leaves four
 * fifths to those with a key.
 */
const KEYLESS_SHARE = 1 / 5;
/**
 * What may come on a route that holds a function, however much may come on others: an account has 1,000
 * functions at once. A follower holds one for up to 10 s, so these are at most 500 of them; who waits for
 * consent for up to 25 s: at most 250.
 */
const FOLLOWED_A_SECOND = 50;
const WAITING_A_SECOND = 10;

/** As CloudFormation writes them in its map of routes, which takes no other spelling. */
type Throttle = { ThrottlingRateLimit: number; ThrottlingBurstLimit: number };

/**
 * The limits of routes that need no key or that hold a connection, by route key: beside that of the stage,
 * not part of it.
 */
export function routeThrottles(
  rows: readonly RouteRow[],
  { rateLimit, burstLimit }: Pick<Settings, 'rateLimit' | 'burstLimit'>,
): Record<string, Throttle> {
  const keyless: Throttle = {
    ThrottlingRateLimit: Math.ceil(rateLimit * KEYLESS_SHARE),
    ThrottlingBurstLimit: Math.ceil(burstLimit * KEYLESS_SHARE),
  };
  const holding = (aSecond: number): Throttle => ({
    ThrottlingRateLimit: Math.min(rateLimit, aSecond),
    ThrottlingBurstLimit: Math.min(burstLimit, 2 * aSecond),
  });
  const own = rows.flatMap((row): [string, Throttle][] => {
    const { method, path, permission, eventStream, leadsOn } = row;
    const key = `${method} ${path}`;
    if (permission === 'public') return routeKeysOf(row).map((each) => [each, keyless]);
    if (eventStream) return [[key, holding(FOLLOWED_A_SECOND)]];
    return leadsOn ? [[key, holding(WAITING_A_SECOND)]] : [];
  });
  return { ...Object.fromEntries(own), $default: keyless };
}
