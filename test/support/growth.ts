const ROUNDS = 7;
/** A clock that counts microseconds says little about less. */
const ROUND_MILLISECONDS_MIN = 2;
const TIMES_LONGER = 8;

/**
 * Between what is linear in the length of its text (8) and what is quadratic (64), with room for machines that
 * do something else as well.
 */
export const SUPER_LINEAR = 24;

/**
 * How many times longer something takes whose text is eight times longer: the quickest of several rounds of
 * each, in one run. `prepare` makes the text, and gives what is measured.
 */
export function growth(length: number, prepare: (length: number) => () => unknown): number {
  const short = measured(prepare(length));
  const long = measured(prepare(length * TIMES_LONGER));
  for (let round = 0; round < ROUNDS; round += 1) {
    short.again();
    long.again();
  }
  return long.quickest() / short.quickest();
}

function measured(work: () => unknown): { again(): void; quickest(): number } {
  let repeats = 1;
  while (timeOf(work, repeats) < ROUND_MILLISECONDS_MIN) repeats *= 2;
  let quickest = Number.POSITIVE_INFINITY;
  return {
    again: () => {
      quickest = Math.min(quickest, timeOf(work, repeats) / repeats);
    },
    quickest: () => quickest,
  };
}

function timeOf(work: () => unknown, repeats: number): number {
  const begin = performance.now();
  for (let done = 0; done < repeats; done += 1) work();
  return performance.now() - begin;
}
