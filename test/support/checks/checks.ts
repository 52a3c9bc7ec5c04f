import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKS_FILE, type CheckResult, countChecks } from './results.ts';
import { runStep, type Step, vitestStep } from './run-step.ts';

const REPORT = 'vitest.json';

type Shown = boolean | 'live';

/** One run of checks: says how each went, and leaves in its folder what `print-counts.ts` counts. */
export class Checks {
  readonly #folder: string;
  readonly #results: CheckResult[] = [];

  constructor(folder: string) {
    this.#folder = folder;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }

  /** Runs a step and shows its output if it failed. */
  async run(step: Step): Promise<void> {
    await this.#run(step);
  }

  /** Runs vitest with these arguments beyond its configuration; with `shown`, shows what the tests print in any case, perhaps as they print it. */
  async test({ args = [], shown = false }: { args?: string[]; shown?: Shown } = {}): Promise<void> {
    await this.#run(vitestStep(join(this.#folder, REPORT), args), { report: REPORT, shown });
  }

  /** Writes the results, prints the counts, and sets the exit status. */
  finish(): void {
    writeFileSync(join(this.#folder, CHECKS_FILE), `${JSON.stringify(this.#results, null, 2)}\n`);
    const { passed, failed } = countChecks(this.#folder);
    console.log(`${passed} passed, ${failed} failed (each check counts as one test)`);
    if (failed > 0) process.exitCode = 1;
  }

  async #run(step: Step, { report, shown = false }: { report?: string; shown?: Shown } = {}): Promise<void> {
    const { ok, seconds, output } = await runStep(step, { live: shown === 'live' });
    this.#results.push({ name: step.name, ok, seconds, ...(report !== undefined && { report }) });
    console.log(`${ok ? 'ok    ' : 'FAILED'}  ${step.name}  ${seconds.toFixed(1)} s`);
    if (shown !== 'live' && (!ok || shown)) console.log(`\n${output.trimEnd()}\n`);
  }
}
