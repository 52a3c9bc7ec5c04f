// What is believed only when a later look finds it again.

/** A little less than the minute from one sweep to the next. */
export const CONFIRM_AFTER_MILLISECONDS = 55_000;

/** Two looks further apart tell of an outage of ours between them, or of a sweep that is behind. */
const FAR_APART_MILLISECONDS = 120_000;

/**
 * That something does not exist is eventually consistent: it is believed when it is said again by a later
 * look. `since`: the first time.
 */
export const isAbsentForSure = (since: number | undefined, now: number): boolean =>
  since !== undefined && now >= since + CONFIRM_AFTER_MILLISECONDS;

/**
 * That looks have found a listener silent. `at`: when the last of them did that counts, in epoch
 * milliseconds; `looks`: how many count.
 */
export type SilenceFound = { at: number; looks: number };

const hasTimePassed = ({ at }: SilenceFound, now: number): boolean => now >= at + CONFIRM_AFTER_MILLISECONDS;

/** What is kept of a look that finds a listener silent. One right after another does not count. */
export const silenceFound = (before: SilenceFound | undefined, now: number): SilenceFound => {
  if (before === undefined) return { at: now, looks: 1 };
  return hasTimePassed(before, now) ? { at: now, looks: before.looks + 1 } : before;
};

/**
 * Nobody can be heard during an outage of ours, so that a look finds a listener silent proves nothing yet. It
 * is believed when the look before, at most two minutes ago, found it so too, or two looks before: then it
 * had a minute at least to be heard, however late a sweep is that is behind.
 */
export const isSilentForSure = (before: SilenceFound | undefined, now: number): boolean =>
  before !== undefined &&
  hasTimePassed(before, now) &&
  (before.looks > 1 || now <= before.at + FAR_APART_MILLISECONDS);
