import { spawnSync } from 'node:child_process';
import { mutations } from '../../aws/mutations.ts';

/*
 * Deploys to the emulator once for each mutation, with that action taken from that role: every run must fail.
 * That no other action could be missing either is what `test:aws` checks each time: every action that is
 * granted was used. Arguments, if any, choose among them.
 */
const args = ['run', '--config', 'test/vitest.config.ts', '--project', 'aws', '--bail', '1', 'test/aws'];
const asked = process.argv.slice(2);
const tried = asked.length === 0 ? mutations : asked;
let unnoticed = 0;
for (const mutation of tried) {
  const env = { ...process.env, TEST_AWS: '1', TEST_AWS_WITHOUT: mutation };
  const { status, stdout } = spawnSync('vitest', [...args, '--disable-console-intercept'], {
    env,
    encoding: 'utf8',
  });
  const [, failed = 'the run as a whole'] = /\bfail: (.+)$/m.exec(stdout) ?? [];
  if (status === 0) unnoticed += 1;
  console.log(status === 0 ? `UNNOTICED  without ${mutation}` : `noticed    without ${mutation}: ${failed}`);
}
console.log(`${tried.length - unnoticed} of ${tried.length} noticed`);
if (unnoticed > 0) process.exitCode = 1;
