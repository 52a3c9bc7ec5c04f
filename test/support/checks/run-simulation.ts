import { Checks } from './checks.ts';

const SEEDS = 3_000;
/** Each group of guards that is left out is noticed within so many. */
const SEEDS_A_GROUP = 2_000;

const checks = new Checks('test-results/simulation');
// Another start each time: all runs together see ever more. Which it was is said, and a seed that breaks a promise can be run again.
const from = Math.floor(Math.random() * 2 ** 31);
const command = (...args: string[]): [string, ...string[]] => ['node', 'test/simulation/main.ts', ...args];
await checks.run({
  name: `${SEEDS} seeds from ${from} on break no promise`,
  command: command('--seeds', String(SEEDS), '--from', String(from)),
});
await checks.run({
  name: 'each group of guards that is left out is noticed',
  command: command('--mutants', 'groups', '--seeds', String(SEEDS_A_GROUP)),
});
checks.finish();
