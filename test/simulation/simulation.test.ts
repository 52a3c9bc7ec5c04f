import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Guards } from './guards.ts';
import { find, groups, Learning } from './mutants.ts';
import { Pool, seedsFrom } from './pool.ts';
import { Simulation } from './simulation.ts';

/** The check of all mutants is a run of its own: these are found soon. */
const SEEDS_A_GROUP = 300;
const SEED = 7;
const FOUND_SOON = /^(lease|interrupt|one transaction|sweep)/;

describe('a simulation', () => {
  let pool: Pool;
  beforeAll(() => {
    pool = new Pool(1);
  });
  afterAll(() => pool.close());

  it('follows from its seed alone', async () => {
    const [one, again] = [
      await new Simulation(SEED, { traces: true }).run(),
      await new Simulation(SEED, { traces: true }).run(),
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
    expect((await Learning.of(pool, 1, 10)).guards.length).toBeGreaterThan(30);
  });

  it('goes on as before without a guard that has refused nothing alone', async () => {
    const learning = await Learning.of(pool, SEED, 1);
    const idle = learning.guards.filter((guard) => !learning.seedsThatNeed(guard).includes(SEED));
    const whole = await new Simulation(SEED, { traces: true }).run();
    for (const idler of idle) {
      const guards = new Guards((guard) => guard === idler);
      expect(await new Simulation(SEED, { traces: true, guards }).run()).toEqual(whole);
    }
    expect(idle.length).toBeGreaterThan(20);
  });

  it.each([...groups.keys()].filter((name) => FOUND_SOON.test(name)))(
    'notices that this is left out: %s',
    async (mutant) => {
      expect(await find(pool, mutant, seedsFrom(1, SEEDS_A_GROUP))).toBeDefined();
    },
  );
});
