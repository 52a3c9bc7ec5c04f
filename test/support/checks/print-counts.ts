import { countCheck, failuresOf, readCheck } from './results.ts';

/**
 * Prints what failed, then `N passed, N failed` as the last line, of checks given as `readCheck` takes them.
 */
const checks = process.argv.slice(2).map(readCheck);
for (const failure of checks.flatMap(failuresOf)) console.log(`FAILED  ${failure}`);
const counts = checks.map(countCheck);
const passed = counts.reduce((sum, each) => sum + each.passed, 0);
const failed = counts.reduce((sum, each) => sum + each.failed, checks.length === 0 ? 1 : 0);
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
