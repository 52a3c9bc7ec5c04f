import { countCheck, FLAKY_MAX, failuresOf, flakyOf, readCheck } from './results.ts';

/**
 * Prints what failed and what failed only once, then `N passed, N failed` as the last line, of checks given
 * as `readCheck` takes them.
 */
const checks = process.argv.slice(2).map(readCheck);
for (const failure of checks.flatMap(failuresOf)) console.log(`FAILED  ${failure}`);
const flaky = checks.flatMap(flakyOf);
for (const failure of flaky) console.log(`FLAKY  passed when it ran again, alone: ${failure}`);
const tooMany = flaky.length > FLAKY_MAX ? flaky.length : 0;
if (tooMany > 0) console.log(`${tooMany} flaky tests count as failed; at most ${FLAKY_MAX} count as passed`);
const counts = checks.map(countCheck);
const passed = counts.reduce((sum, each) => sum + each.passed, 0) - tooMany;
const failed = counts.reduce((sum, each) => sum + each.failed, checks.length === 0 ? 1 : 0) + tooMany;
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
