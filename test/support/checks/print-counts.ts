import { countChecks, failuresIn, sum } from './results.ts';

/**
 * Prints what failed, a line each, then `N passed, N failed` for runs given as `<results folder>=<exit status>`. A run that ended with another status than 0 without
 * a failure in its results counts as one failure.
 */
const counts = sum(
  process.argv.slice(2).map((run) => {
    const [folder = '', status] = run.split('=');
    const counted = countChecks(folder);
    for (const failure of failuresIn(folder)) console.log(`FAILED  ${failure}`);
    return status !== '0' && counted.failed === 0 ? { ...counted, failed: 1 } : counted;
  }),
);
const failed = counts.passed + counts.failed === 0 ? 1 : counts.failed;
console.log(`${counts.passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
