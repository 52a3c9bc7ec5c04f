import type { Random } from '../random.ts';

const SECOND = 1_000;

/** What happens in a run; each seed has its own. */
export type Plan = {
  readonly milliseconds: number;
  readonly threads: number;
  readonly cancels: boolean;
  readonly deploys: number;
  readonly serverKills: number;
  readonly workerKills: number;
  readonly freezes: number;
  readonly outages: number;
  /** A session that listens ends alone, with the lock that it holds. */
  readonly sessions: number;
  readonly isFlaky: boolean;
  /** Some inputs end their process in one and the same step. */
  readonly isDeadly: boolean;
};

export function planOf(random: Random): Plan {
  const some = (probability: number, most: number): number =>
    random.chance(probability) ? random.whole(1, most) : 0;
  return {
    milliseconds: random.between(40, 120) * SECOND,
    threads: random.whole(1, 4),
    cancels: random.chance(0.5),
    deploys: some(0.8, 5),
    serverKills: some(0.4, 5),
    workerKills: some(0.4, 5),
    freezes: some(0.3, 4),
    outages: some(0.3, 3),
    sessions: some(0.3, 6),
    isFlaky: random.chance(0.3),
    isDeadly: random.chance(0.15),
  };
}
