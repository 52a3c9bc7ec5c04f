import { jobsOf, type Pool } from './pool.ts';
import { Simulation } from './simulation.ts';

/** The engine with something left out. A simulation that does not notice proves nothing of what was left out. */
export type Mutant = {
  drops?: (guard: string | undefined) => boolean;
  withoutSweep?: boolean;
  splitsEnds?: boolean;
};

const dropping = (...prefixes: string[]): Mutant => ({
  drops: (guard) => prefixes.some((prefix) => guard?.startsWith(`${prefix}: `)),
});

/** What the promises stand on, each left out as a whole: most have more than one guard, so that none alone is missed. */
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

/** Runs seeds from `from` on until one breaks a promise: gives the first that does, undefined when none of so many does. */
export async function find(
  pool: Pool,
  mutant: string,
  { seeds, from = 1 }: { seeds: number; from?: number },
): Promise<Found | undefined> {
  const found: Found[] = [];
  await pool.run(jobsOf(from, seeds, mutant), ({ seed, violation }) => {
    if (violation === undefined) return undefined;
    found.push({ seed, violation });
    // Seeds before it may still be at work.
    return 'enough';
  });
  return found.sort((a, b) => a.seed - b.seed)[0];
}

/** The names of all guards that some seeds come by; throws for a condition that has none. */
export async function guardsSeen(seeds: number): Promise<string[]> {
  const seen = new Set<string>();
  const nameless = new Set<string>();
  const drops = (guard: string | undefined, write: string): boolean => {
    if (guard === undefined) nameless.add(write);
    else seen.add(guard);
    return false;
  };
  for (let seed = 1; seed <= seeds; seed++) await new Simulation(seed, { drops }).run();
  if (nameless.size > 0) throw new Error(`conditions without a name: ${[...nameless].join(', ')}`);
  return [...seen].sort();
}
