import { Checks } from './checks.ts';

/** What the Python agents need of this machine; without it nothing is skipped, the check fails. */
const NEEDED = 'import sys, venv, ensurepip; assert sys.version_info >= (3, 11), sys.version';

const checks = new Checks('test-results/agents');
console.log(
  'Building and running agents in JavaScript and Python. Their packages are downloaded: this takes minutes.',
);
await checks.run({ name: 'python3 is 3.11 or later, with venv', command: ['python3', '-c', NEEDED] });
process.env.TEST_AGENTS = '1';
// One file at a time: what they measure is theirs.
await checks.test({ args: ['--maxWorkers', '1', 'test/e2e/agents'], shown: true });
checks.finish();
