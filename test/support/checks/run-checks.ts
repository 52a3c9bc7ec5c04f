import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKS_FILE, type CheckResult, countChecks } from './results.ts';
import { runStep, type Step, vitestStep } from './run-step.ts';

const FOLDER = 'test-results';
const REPORT = 'vitest.json';

/** These read the sources only, so they run side by side; the tests measure time and get the machine for themselves. */
const sourceChecks: readonly Step[] = [
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'format', command: ['biome', 'check', '--error-on-warnings'] },
  { name: 'unused code', command: ['knip', '--no-progress'] },
];

const results: CheckResult[] = [];

async function check(step: Step, report?: string): Promise<void> {
  const { ok, seconds, output } = await runStep(step);
  results.push({ name: step.name, ok, seconds, ...(report !== undefined && { report }) });
  console.log(`${ok ? 'ok    ' : 'FAILED'}  ${step.name}  ${seconds.toFixed(1)} s`);
  if (!ok) console.log(`\n${output.trimEnd()}\n`);
}

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
console.log(`Checking ${sourceChecks.map(({ name }) => name).join(', ')}, then running all tests.`);
await Promise.all(sourceChecks.map((step) => check(step)));
await check(vitestStep(join(FOLDER, REPORT)), REPORT);
writeFileSync(join(FOLDER, CHECKS_FILE), `${JSON.stringify(results, null, 2)}\n`);

const { passed, failed } = countChecks(FOLDER);
console.log(`${passed} passed, ${failed} failed (each check counts as one test)`);
if (failed > 0) process.exitCode = 1;
