import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countReport } from './results.ts';
import { runStep, vitestStep } from './run-step.ts';

const RUNS = 10;

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

const folder = mkdtempSync(join(tmpdir(), 'slipway-ten-'));
try {
  for (let number = 1; number <= RUNS; number++) {
    if (!(await run(number, join(folder, `${number}.json`)))) {
      process.exitCode = 1;
      break;
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
