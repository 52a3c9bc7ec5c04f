const TIMES_LONGER = 8;
/** A clock that counts microseconds says little about less. */
const ROUND_MILLISECONDS_MIN = 1;
const ROUNDS_MIN = 3;
/** A round in which the engine compiles or collects garbage takes longer; several in a row do not. */
const ROUNDS_MAX = 50;

/**
 * Between what is linear in the length of its text (8) and what is quadratic (64), with room for caches that
 * hold the short text alone.
 */
export const SUPER_LINEAR = 24;

/**
 * How many times longer something takes whose text is eight times longer: the quickest of several rounds of
 * each, in one run. What seems to be super-linear is measured again and again. `prepare` makes the text, and
 * gives what is measured.
 *
 * The processor's time is counted, not the clock's: on a busy machine a round of ten milliseconds takes a
 * hundred, and one of a millisecond does not.
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
  while (millisecondsOf(work, repeats) < ROUND_MILLISECONDS_MIN) repeats *= 2;
  let quickest = Number.POSITIVE_INFINITY;
  return () => {
    quickest = Math.min(quickest, millisecondsOf(work, repeats) / repeats);
    return quickest;
  };
}

/** Of the processor. That of this thread alone is counted by the tick of the kernel's clock. */
function millisecondsOf(work: () => unknown, repeats: number): number {
  const begin = process.cpuUsage();
  for (let done = 0; done < repeats; done += 1) work();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000;
}
