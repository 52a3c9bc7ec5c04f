import { Checks } from './checks.ts';

/** What the Python agents need of this machine; without it nothing is skipped, the check fails. */
const NEEDED = 'import sys, venv, ensurepip; assert sys.version_info >= (3, 11), sys.version';

/** The vitest filter of what can be asked for, which names the folder of its results too. */
const FILTERS = new Map([
  ['agents', 'test/e2e/agents'],
  ['agents-one-by-one', 'test/e2e/agents.test.ts'],
  // Measures time and memory: not beside other tests.
  ['agents-side-by-side', 'test/e2e/agents-side-by-side.test.ts'],
]);

const asked = process.argv.slice(2).join(' ') || 'agents';
const filter = FILTERS.get(asked);
if (filter === undefined) throw new Error(`"${asked}" is none of ${[...FILTERS.keys()].join(', ')}`);

const checks = new Checks(`test-results/${asked}`);
console.log(
  'Building and running agents in JavaScript and Python. Their packages are downloaded: this takes minutes.',
);
await checks.run({ name: 'python3 is 3.11 or later, with venv', command: ['python3', '-c', NEEDED] });
process.env.TEST_AGENTS = '1';
// One file at a time: what they measure is theirs.
await checks.test({ args: ['--maxWorkers', '1', filter], shown: true });
checks.finish();
