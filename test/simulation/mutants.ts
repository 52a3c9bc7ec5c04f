import { type Learnt, type Pool, seedsFrom } from './pool.ts';

/**
 * The engine with something left out. A simulation that does not notice proves nothing of what was left out.
 */
export type Mutant = {
  drops?: (guard: string) => boolean;
  withoutSweep?: boolean;
  splitsEnds?: boolean;
};

const dropping = (...prefixes: string[]): Mutant => ({
  drops: (guard) => prefixes.some((prefix) => guard.startsWith(`${prefix}: `)),
});

/**
 * What the promises stand on, each left out as a whole: most have more than one guard, so that none alone is
 * missed.
 */
export const groups: ReadonlyMap<string, Mutant> = new Map([
  ['transition: the status is as it was read', dropping('transition')],
  ["slot and queue: the slot is free and goes to the queue's head", dropping('slot', 'queue')],
  ['lease and epoch: who reports holds the task', dropping('lease', 'epoch', 'task')],
  ['interrupt: nothing begins after one', dropping('interrupt')],
  ['outcome: the first that is recorded stays', dropping('outcome')],
  ['attempt: an execution that was given up writes nothing', dropping('attempt')],
  ['one transaction: the slot is freed with the terminal status', { splitsEnds: true }],
  ['sweep: it finds what nothing else wakes', { withoutSweep: true }],
]);

/** A group of that name, or else what leaves out the one guard that is called so. */
export const mutantOf = (name: string): Mutant => groups.get(name) ?? { drops: (guard) => guard === name };

export type Found = { seed: number; violation: string };

/** Runs seeds until one breaks a promise: gives the first that does, undefined when none does. */
export async function find(pool: Pool, mutant: string, seeds: Iterable<number>): Promise<Found | undefined> {
  const found: Found[] = [];
  const jobs = Iterator.from(seeds).map((seed) => ({ seed, mutant }));
  await pool.run(jobs, ({ seed, violation }) => {
    if (violation === undefined) return undefined;
    found.push({ seed, violation });
    // Seeds before it may still be at work.
    return 'enough';
  });
  return found.sort((a, b) => a.seed - b.seed)[0];
}

/** What runs tell of guards. */
export class Learning {
  readonly #seen = new Set<string>();
  readonly #refusals = new Map<number, string[][]>();

  /** Runs so many seeds; throws for a condition that has no name. */
  static async of(pool: Pool, from: number, seeds: number): Promise<Learning> {
    const learning = new Learning();
    const jobs = Iterator.from(seedsFrom(from, seeds)).map((seed) => ({ seed, learns: true }));
    await pool.run(jobs, ({ seed, learnt }) => {
      if (learnt !== undefined) learning.#add(seed, learnt);
      return undefined;
    });
    return learning;
  }

  #add(seed: number, { seen, nameless, refusals }: Learnt): void {
    if (nameless.size > 0) throw new Error(`conditions without a name: ${[...nameless].join(', ')}`);
    for (const guard of seen) this.#seen.add(guard);
    this.#refusals.set(seed, refusals);
  }

  /** The names of all guards that these seeds come by. */
  get guards(): string[] {
    return [...this.#seen].sort();
  }

  /** The seeds in which this guard alone has refused a write: in all others nothing changes without it. */
  seedsThatNeed(guard: string): number[] {
    const isAlone = ([first, ...more]: string[]) => first === guard && more.length === 0;
    const seeds = [...this.#refusals].filter(([, refusals]) => refusals.some(isAlone));
    return seeds.map(([seed]) => seed).sort((a, b) => a - b);
  }
}
