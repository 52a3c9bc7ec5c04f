import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { find } from '../mutants.ts';
import { Pool, seedsFrom } from '../pool.ts';
import { program, rules } from './mutants.ts';
import { QueueSimulation } from './simulation.ts';

const SEED = 7;
/** The check of all seeds is a run of its own. */
const SEEDS = 40;
const SEEDS_A_RULE = 300;

describe('a simulation of the queue of agents', () => {
  let pool: Pool;
  beforeAll(() => {
    pool = new Pool(1, program);
  });
  afterAll(() => pool.close());

  it('follows from its seed alone', async () => {
    const [one, again] = [
      await new QueueSimulation(SEED, { traces: true }).run(),
      await new QueueSimulation(SEED, { traces: true }).run(),
    ];
    expect(one.trace.length).toBeGreaterThan(20);
    expect(again).toEqual(one);
  });

  it('loses, truncates and repeats nothing', async () => {
    const violations: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { violation } = await new QueueSimulation(seed).run();
      if (violation !== undefined) violations.push(`seed ${seed}: ${violation}`);
    }
    expect(violations).toEqual([]);
  });

  it.each(rules)('notices that this is left out: %s', async (rule) => {
    expect(await find(pool, rule, seedsFrom(1, SEEDS_A_RULE))).toBeDefined();
  });
});
