import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { runStep } from '../../support/checks/run-step.ts';

const printCounts = fileURLToPath(new URL('../../support/checks/print-counts.ts', import.meta.url));

it.each([
  ['keeps the output of a step that passes', 'console.log("fine")', { ok: true, output: 'fine\n' }],
  ['fails with the program', 'console.error("bad"); process.exit(3)', { ok: false, output: 'bad\n' }],
  ['fails with a program that was killed', 'process.kill(process.pid, "SIGKILL")', { ok: false, output: '' }],
])('%s', async (_, script, expected) => {
  const ran = await runStep({ name: 'x', command: [process.execPath, '-e', script] });
  expect(ran).toMatchObject(expected);
});

it('fails when the program cannot be started', async () => {
  const ran = await runStep({ name: 'x', command: ['no-such-program-here'] });
  expect(ran.ok).toBe(false);
  expect(ran.output).toContain('no-such-program-here cannot be run');
});

it('counts a run that left no results as a failure, and names it', async () => {
  const run = promisify(execFile)(process.execPath, [printCounts, '/no/such/folder=0']);
  await expect(run).rejects.toMatchObject({
    code: 1,
    stdout: 'FAILED  /no/such/folder: nothing was recorded\n0 passed, 1 failed\n',
  });
});
