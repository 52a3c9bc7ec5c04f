import { Simulation } from './simulation.ts';

/** The engine with something left out. A simulation that does not notice proves nothing of what was left out. */
export type Mutant = {
  name: string;
  drops?: (guard: string | undefined) => boolean;
  withoutSweep?: boolean;
  splitsEnds?: boolean;
};

const dropping = (name: string, ...prefixes: string[]): Mutant => ({
  name,
  drops: (guard) => prefixes.some((prefix) => guard?.startsWith(`${prefix}: `)),
});

/** What the promises stand on, each left out as a whole: most have more than one guard, so that none alone is missed. */
export const groups: readonly Mutant[] = [
  dropping('transition: the status is as it was read', 'transition'),
  dropping("slot and queue: the slot is free and goes to the queue's head", 'slot', 'queue'),
  dropping('lease and epoch: who reports holds the task', 'lease', 'epoch', 'task'),
  dropping('interrupt: nothing begins after one', 'interrupt'),
  dropping('outcome: the first that is recorded stays', 'outcome'),
  dropping('attempt: an execution that was given up writes nothing', 'attempt'),
  { name: 'one transaction: the slot is freed with the terminal status', splitsEnds: true },
  { name: 'sweep: it finds what nothing else wakes', withoutSweep: true },
];

export type Found = { seed: number; violation: string } | undefined;

/** Runs seeds from 1 on until one breaks a promise; undefined when none of so many does. */
export async function find({ drops, withoutSweep, splitsEnds }: Mutant, seeds: number): Promise<Found> {
  for (let seed = 1; seed <= seeds; seed++) {
    const options = {
      ...(drops && { drops }),
      ...(withoutSweep !== undefined && { withoutSweep }),
      ...(splitsEnds !== undefined && { splitsEnds }),
    };
    const { violation } = await new Simulation(seed, options).run();
    if (violation !== undefined) return { seed, violation };
  }
  return undefined;
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
