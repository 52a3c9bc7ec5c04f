import { countChecks } from './results.ts';
import { runStep, type Step } from './run-step.ts';

const RUNS = 10;
/** Where `npm test` leaves its results. */
const RESULTS = 'test-results/main';
/** All of it, types and lint too: what a person waits for. */
const npmTest: Step = { name: 'npm test', command: ['npm', 'run', '--silent', 'test'] };

/** Runs all checks once and says how they went. Returns whether they passed. */
async function run(number: number): Promise<boolean> {
  const { ok, seconds, output } = await runStep(npmTest);
  const { passed, failed } = countChecks(RESULTS);
  const good = ok && failed === 0;
  console.log(`run ${number} of ${RUNS}: ${good ? `${passed} passed` : 'FAILED'}  ${seconds.toFixed(1)} s`);
  if (!good) console.log(`\n${output.trimEnd()}\n`);
  return good;
}

for (let number = 1; number <= RUNS; number++) {
  if (!(await run(number))) {
    process.exitCode = 1;
    break;
  }
}
