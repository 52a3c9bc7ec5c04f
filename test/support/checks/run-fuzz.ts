import { Checks } from './checks.ts';

/** What the fuzzer needs of this machine; without it nothing is skipped, the check fails. */
const NEEDED = 'import sys, venv, ensurepip; assert sys.version_info >= (3, 10), sys.version';

const checks = new Checks('test-results/fuzz');
console.log(
  'Asking the API all that its description allows and much that it forbids. The first run downloads the fuzzer.',
);
await checks.run({ name: 'python3 is 3.10 or later, with venv', command: ['python3', '-c', NEEDED] });
process.env.TEST_FUZZ = '1';
await checks.test({ args: ['--project', 'fuzz', '--disable-console-intercept'], shown: 'live' });
checks.finish();
