import { mutations } from '../../aws/mutations.ts';
import { runStep, vitestStep } from './run-step.ts';

/*
 * Deploys to the emulator once for each mutation, with that action taken from that role: every run must fail. That no other action could
 * be missing either is what `test:aws` checks each time: every action that is granted was used. Arguments, if any, choose among them.
 */
process.env.TEST_AWS = '1';
let unnoticed = 0;
const asked = process.argv.slice(2);
const tried = asked.length === 0 ? mutations : asked;
for (const mutation of tried) {
  process.env.TEST_AWS_WITHOUT = mutation;
  const args = ['--project', 'aws', '--bail', '1', '--disable-console-intercept', 'test/aws'];
  const { ok, seconds, output } = await runStep(
    vitestStep(`test-results/mutation-${process.pid}.json`, args),
    {},
  );
  const [, failed = 'the run as a whole'] = /\bfail: (.+)$/m.exec(output) ?? [];
  if (ok) unnoticed += 1;
  console.log(
    `${ok ? 'UNNOTICED' : 'noticed  '}  without ${mutation}: ${ok ? '' : failed}  ${seconds.toFixed(0)} s`,
  );
}
console.log(`${tried.length - unnoticed} of ${tried.length} noticed`);
if (unnoticed > 0) process.exitCode = 1;
