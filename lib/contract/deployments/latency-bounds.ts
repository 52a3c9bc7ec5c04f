/**
 * Upper bounds of the buckets of a histogram, in milliseconds: six to a factor of ten, from a millisecond to
 * ten minutes. What took longer is in one bucket more. They never change: what is kept was counted by them.
 */
export const LATENCY_BOUNDS_MS = [
  ...[1, 10, 100, 1000, 10_000].flatMap((unit) => [1, 1.5, 2, 3, 5, 7].map((each) => each * unit)),
  ...[100_000, 150_000, 200_000, 300_000, 500_000, 600_000],
] as const;

/** One for each bound, and one for what took longer than the last. */
export const LATENCY_BUCKETS = LATENCY_BOUNDS_MS.length + 1;
