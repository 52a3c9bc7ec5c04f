import { Checks } from './checks.ts';

/** What the emulator needs of this machine; without it nothing is skipped, the check fails. */
const NEEDED = 'import sys, venv, ensurepip; assert sys.version_info >= (3, 10), sys.version';

const checks = new Checks('test-results/aws');
console.log(
  'Deploying to a local emulator of AWS. The first run downloads it; everything takes some minutes.',
);
await checks.run({ name: 'python3 is 3.10 or later, with venv', command: ['python3', '-c', NEEDED] });
process.env.TEST_AWS = '1';
// A test without those before it would only fail once more.
await checks.test({
  args: ['--project', 'aws', '--bail', '1', '--disable-console-intercept'],
  shown: 'live',
});
checks.finish();
