/** The longest pause before the first retry; it doubles with each further one. */
const FIRST_PAUSE_MILLISECONDS = 10_000;
const PAUSE_MILLISECONDS_MAX = 60 * 60_000;
/** What cannot be delivered for so long is given up. */
export const GIVEN_UP_AFTER_MILLISECONDS = 24 * 60 * 60_000;

export type Failing = {
  /** So many attempts have failed. */
  attempts: number;
  /** When the first did, in epoch milliseconds. */
  since: number;
};

/**
 * When an event that has just failed is tried again, in epoch milliseconds: after a random part of a pause
 * that grows (full jitter), so that those who failed together do not come back together. The last attempt
 * is made when the time is over; undefined: it was that one. `random`: from 0 to 1.
 */
export function nextAttemptAt({ attempts, since }: Failing, now: number, random: number): number | undefined {
  const end = since + GIVEN_UP_AFTER_MILLISECONDS;
  if (now >= end) return undefined;
  const pause = Math.min(PAUSE_MILLISECONDS_MAX, FIRST_PAUSE_MILLISECONDS * 2 ** (attempts - 1));
  return Math.min(end, now + Math.ceil(pause * random));
}
