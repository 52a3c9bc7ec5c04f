import { readFileSync } from 'node:fs';
import { TICKS_PER_SECOND } from '../../../lib/processes/proc-source.ts';
import { countChecks } from './results.ts';
import { runStep, type Step } from './run-step.ts';

const RUNS = 10;
/** Where `npm test` leaves its results. */
const RESULTS = 'test-results/main';
/** All of it, types and lint too: what a person waits for. */
const npmTest: Step = { name: 'npm test', command: ['npm', 'run', '--silent', 'test'] };

/** Processor seconds since the start that a virtual machine wanted and its host gave to others; zero where nobody counts them. */
function stolenSeconds(): number {
  try {
    const [, ...ticks] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.trim().split(/\s+/) ?? [];
    // user, nice, system, idle, iowait, irq, softirq, steal
    return Number(ticks[7] ?? 0) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** Runs all checks once and says how they went. Returns whether they passed. */
async function run(number: number): Promise<boolean> {
  const stolenBefore = stolenSeconds();
  const { ok, seconds, output } = await runStep(npmTest);
  const stolen = stolenSeconds() - stolenBefore;
  const { passed, failed } = countChecks(RESULTS);
  const good = ok && failed === 0;
  const result = good ? `${passed} passed` : 'FAILED';
  // The same run takes longer on a machine that others use too: without this figure nobody could tell that from a slower program.
  const waited = stolen === 0 ? '' : `  (the host held back ${stolen.toFixed(1)} processor seconds)`;
  console.log(`run ${number} of ${RUNS}: ${result}  ${seconds.toFixed(1)} s${waited}`);
  if (!good) console.log(`\n${output.trimEnd()}\n`);
  return good;
}

for (let number = 1; number <= RUNS; number++) {
  if (!(await run(number))) {
    process.exitCode = 1;
    break;
  }
}
