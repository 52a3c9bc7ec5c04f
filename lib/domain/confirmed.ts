// What is believed only when a later look finds it again.

/** Two looks of the sweep, a minute apart. */
export const CONFIRMED_MILLISECONDS = 55_000;

/** Two looks further apart tell of an outage of ours between them, or of a sweep that is behind. */
const FAR_APART_MILLISECONDS = 120_000;

/** That something does not exist is eventually consistent: it is believed when it is said again by a later look. `since`: the first time. */
export const isAbsentForSure = (since: number | undefined, now: number): boolean =>
  since !== undefined && now >= since + CONFIRMED_MILLISECONDS;

/**
 * The look that is kept as the one that found a listener silent, when one now finds it so again: the one before, unless it is so long ago that an
 * outage of ours may have kept the listener from being heard since. All in epoch milliseconds.
 */
export const silenceFoundAt = (before: number | undefined, now: number): number =>
  before !== undefined && now <= before + FAR_APART_MILLISECONDS ? before : now;

/**
 * Nobody can be heard during an outage of ours, so silence is believed when two looks find it that are a minute apart, but not further: after an
 * outage a listener has a minute to be heard again. `before`: when a look found it first.
 */
export const isSilentForSure = (before: number | undefined, now: number): boolean =>
  now >= silenceFoundAt(before, now) + CONFIRMED_MILLISECONDS;
