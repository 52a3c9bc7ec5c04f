import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { find, groups, guardsSeen } from './mutants.ts';
import { Pool } from './pool.ts';
import { Simulation } from './simulation.ts';

/** The check of all mutants is a run of its own: these are found soon. */
const SEEDS_A_GROUP = 300;
const FOUND_SOON = /^(lease|interrupt|one transaction|sweep)/;

describe('a simulation', () => {
  let pool: Pool;
  beforeAll(() => {
    pool = new Pool(1);
  });
  afterAll(() => pool.close());

  it('follows from its seed alone', async () => {
    const [one, again] = [
      await new Simulation(7, { traces: true }).run(),
      await new Simulation(7, { traces: true }).run(),
    ];
    expect(one.trace.length).toBeGreaterThan(20);
    expect(again).toEqual(one);
  });

  it('breaks no promise', async () => {
    const violations: (string | undefined)[] = [];
    for (let seed = 1; seed <= 40; seed++) violations.push((await new Simulation(seed).run()).violation);
    expect(violations.filter((violation) => violation !== undefined)).toEqual([]);
  });

  it('comes by no condition without a name', async () => {
    expect((await guardsSeen(10)).length).toBeGreaterThan(30);
  });

  it.each([...groups.keys()].filter((name) => FOUND_SOON.test(name)))(
    'notices that this is left out: %s',
    async (mutant) => {
      expect(await find(pool, mutant, { seeds: SEEDS_A_GROUP })).toBeDefined();
    },
  );
});
