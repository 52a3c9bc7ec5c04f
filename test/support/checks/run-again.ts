import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { againOf, type Check, countCheck, FLAKY_MAX, failedFiles, readCheck } from './results.ts';

/**
 * Runs the files in which a test has failed once more, each alone, and leaves a report of them beside the
 * first one. Takes checks as `readCheck` does. What depends on time and on other programs may fail by a race,
 * of the product or of the test, and is told from what fails always; tests without either (`test/unit`,
 * `test/contract`) never run again, nor does anything after more failures than may be flaky.
 */
type Rerun = { env: Record<string, string>; args?: string[]; isWhole?: boolean };

const reruns: Record<string, Rerun> = {
  'test.json': { env: {} },
  'test-all.json': { env: {} },
  'test-browser.json': { env: { TEST_BROWSER: '1' } },
  'test-k8s.json': { env: { TEST_KUBERNETES: '1' }, args: ['--project', 'kubernetes'] },
  // Each test goes on from what the one before left deployed, and none runs after one that failed.
  'test-aws.json': { env: { TEST_AWS: '1' }, args: ['--project', 'aws', '--bail', '1'], isWhole: true },
};
const ALWAYS_THE_SAME = /^test\/(?:unit|contract)\//;

const checks = process.argv.slice(2).map(readCheck);
const failed = checks.reduce((sum, check) => sum + countCheck(check).failed, 0);
if (failed > FLAKY_MAX) console.log(`${failed} failures: nothing runs again`);
else for (const check of checks) runAgain(check);

function runAgain(check: Check): void {
  const { report = '' } = check;
  const rerun = reruns[basename(report)];
  const files = failedFiles(check)
    .map((file) => relative(process.cwd(), file))
    .filter((file) => !ALWAYS_THE_SAME.test(file));
  if (rerun === undefined || files.length === 0) return;
  const { env, args = [], isWhole = false } = rerun;
  const again = againOf(report);
  console.log(`== again, alone: ${files.join(', ')}`);
  const log = openSync(again.replace(/json$/, 'log'), 'w');
  const { status } = spawnSync(
    'vitest',
    [
      'run',
      '--config',
      'test/vitest.config.ts',
      ...(isWhole ? [] : [...files, '--maxWorkers', '1']),
      ...args,
    ],
    { env: { ...process.env, ...env, TEST_RESULTS: again }, stdio: ['ignore', log, log] },
  );
  closeSync(log);
  // A runner that failed beside its tests has shown nothing.
  const { failed: failures } = countCheck({ name: again, status: 0, report: again });
  if (status !== 0 && failures === 0) rmSync(again, { force: true });
}
