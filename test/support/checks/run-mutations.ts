import { mutations } from '../../aws/mutations.ts';
import { runStep, vitestStep } from './run-step.ts';

/*
 * Deploys to the emulator once for each mutation, with that action taken from that role: every run must fail. That no other action could
 * be missing either is what `test:aws` checks each time: every action that is granted was used.
 */
process.env.TEST_AWS = '1';
let unnoticed = 0;
for (const mutation of mutations) {
  process.env.TEST_AWS_WITHOUT = mutation;
  const args = ['--project', 'aws', '--bail', '1', '--disable-console-intercept', 'test/aws'];
  const { ok, seconds, output } = await runStep(vitestStep('test-results/mutation.json', args), {});
  const [, failed = 'the run as a whole'] = /\bfail: (.+)$/m.exec(output) ?? [];
  if (ok) unnoticed += 1;
  console.log(
    `${ok ? 'UNNOTICED' : 'noticed  '}  without ${mutation}: ${ok ? '' : failed}  ${seconds.toFixed(0)} s`,
  );
}
console.log(`${mutations.length - unnoticed} of ${mutations.length} noticed`);
if (unnoticed > 0) process.exitCode = 1;
