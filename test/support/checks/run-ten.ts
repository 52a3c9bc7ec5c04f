import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { countReport } from './results.ts';
import { runStep, vitestStep } from './run-step.ts';

const RUNS = 10;
const FOLDER = 'test-results/ten';

/** Runs all tests once and says how it went. Returns whether they passed. */
async function run(number: number, reportFile: string): Promise<boolean> {
  const { ok, seconds, output } = await runStep(vitestStep(reportFile));
  const { passed, failed } = ok
    ? countReport(JSON.parse(readFileSync(reportFile, 'utf8')))
    : { passed: 0, failed: 1 };
  const good = ok && failed === 0;
  console.log(`run ${number} of ${RUNS}: ${good ? `${passed} passed` : 'FAILED'}  ${seconds.toFixed(1)} s`);
  if (!good) console.log(`\n${output.trimEnd()}\n`);
  return good;
}

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
for (let number = 1; number <= RUNS; number++) {
  if (!(await run(number, join(FOLDER, `${number}.json`)))) {
    process.exitCode = 1;
    break;
  }
}
