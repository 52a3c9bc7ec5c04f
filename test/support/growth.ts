const TIMES_LONGER = 8;
/** A clock that counts microseconds says little about less; in more, other programs get their turn. */
const ROUND_MILLISECONDS_MIN = 1;
const ROUNDS_MIN = 3;
/** On a busy machine few rounds of what takes ten milliseconds are not interrupted. */
const ROUNDS_MAX = 200;

/**
 * Between what is linear in the length of its text (8) and what is quadratic (64), with room for machines
 * that do something else as well.
 */
export const SUPER_LINEAR = 24;

/**
 * How many times longer something takes whose text is eight times longer: the quickest of several rounds of
 * each, in one run. What seems to be super-linear is measured again and again. `prepare` makes the text, and
 * gives what is measured.
 */
export function growth(length: number, prepare: (length: number) => () => unknown): number {
  const short = measured(prepare(length));
  const long = measured(prepare(length * TIMES_LONGER));
  let ratio = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    ratio = long() / short();
    if (round >= ROUNDS_MIN && ratio < SUPER_LINEAR) return ratio;
  }
  return ratio;
}

/** Each call measures once more, and returns the quickest so far. */
function measured(work: () => unknown): () => number {
  let repeats = 1;
  while (timeOf(work, repeats) < ROUND_MILLISECONDS_MIN) repeats *= 2;
  let quickest = Number.POSITIVE_INFINITY;
  return () => {
    quickest = Math.min(quickest, timeOf(work, repeats) / repeats);
    return quickest;
  };
}

function timeOf(work: () => unknown, repeats: number): number {
  const begin = performance.now();
  for (let done = 0; done < repeats; done += 1) work();
  return performance.now() - begin;
}
