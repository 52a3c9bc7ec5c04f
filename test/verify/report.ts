import { prices } from '../bench/prices.ts';
import { printTable } from '../bench/table.ts';
import { say } from '../support/run/progress.ts';
import type { Units } from '../support/table/consumed.ts';
import type { Counted } from './counts.ts';

type Step = { name: string; from: number; to: number; failed: boolean };

/** Functions have this much memory (lib/infra/slipway-function.ts), in GB. */
const MEMORY_GB = 0.5;

/** What one verification does, step by step, and what it could not see. */
export class Report {
  readonly startedAt = Date.now();
  readonly #steps: Step[] = [];
  readonly #notSeen: string[] = [];
  readonly #failures: string[] = [];
  readonly #remarks: string[] = [];

  get failures(): readonly string[] {
    return this.#failures;
  }

  /** Something went wrong that is no step's. */
  fail(why: string): void {
    this.#failures.push(why);
  }

  /** Does one step, and says how it ended. Throws what the step throws. */
  async step<T>(name: string, work: () => Promise<T>): Promise<T> {
    say(`${name} …`);
    const step: Step = { name, from: Date.now(), to: Number.POSITIVE_INFINITY, failed: false };
    this.#steps.push(step);
    try {
      const made = await work();
      say(`${name}: seen`);
      return made;
    } catch (error) {
      step.failed = true;
      this.fail(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      say(`${name}: FAILED`);
      throw error;
    } finally {
      step.to = Date.now();
    }
  }

  /** Something that users count on, and that showed itself nowhere in this run. */
  notSee(what: string): void {
    if (!this.#notSeen.includes(what)) this.#notSeen.push(what);
  }

  /** A line for who reads the costs. */
  remark(what: string): void {
    this.#remarks.push(what);
  }

  /** Prints the steps with what was counted while they went on, and what was not seen. `units` are the whole run's. */
  print(counted: readonly Counted[], units: Units | undefined): void {
    // What happens between two steps is counted with the first of them.
    const rows = this.#steps.map((step, index) =>
      rowOf(step, countedIn(step, this.#steps[index + 1], counted)),
    );
    printTable(
      'What was done, what it took and what it cost',
      COLUMNS,
      [...rows, sumOf(rows)].map((row) => [row.name, ...row.cells.map(shown)]),
    );
    if (units !== undefined) {
      const dollars = units.reads * prices.readUnit + units.writes * prices.writeUnit;
      console.log(`The table: ${units.reads} read and ${units.writes} write units, $${dollars.toFixed(4)}\n`);
    }
    for (const remark of this.#remarks) console.log(remark);
    for (const what of this.#notSeen) console.log(`not seen: ${what}`);
    for (const failure of this.#failures) console.log(`FAILED: ${failure}`);
  }
}

type Row = { name: string; cells: number[] };

const COLUMNS = [
  'step',
  'seconds',
  'requests',
  'calls',
  'billed s',
  'transitions',
  'builds',
  'build min',
  '$',
];
/** So many places of each behind its point. */
const PLACES = [1, 0, 0, 1, 0, 0, 0, 4];
const shown = (cell: number, column: number): string => cell.toFixed(PLACES[column]);

const countedIn = ({ from }: Step, next: Step | undefined, counted: readonly Counted[]): Counted[] =>
  counted.filter(({ at }) => at >= from && at < (next?.from ?? Number.POSITIVE_INFINITY));

function rowOf({ name, from, to, failed }: Step, own: readonly Counted[]): Row {
  const calls = own.filter((one) => one.kind === 'call');
  const requests = calls.filter((one) => one.isRequest).length;
  const transitions = own.filter((one) => one.kind === 'transition').length;
  const builds = own.filter((one) => one.kind === 'build');
  const seconds = calls.reduce((sum, { billedMilliseconds }) => sum + billedMilliseconds / 1000, 0);
  const minutes = builds.reduce((sum, one) => sum + one.minutes, 0);
  const dollars =
    requests * prices.apiRequest +
    calls.length * prices.functionRequest +
    seconds * MEMORY_GB * prices.functionGbSecond +
    transitions * prices.transition +
    minutes * prices.buildMinute;
  return {
    name: failed ? `${name} (FAILED)` : name,
    cells: [
      (to - from) / 1000,
      requests,
      calls.length,
      seconds,
      transitions,
      builds.length,
      minutes,
      dollars,
    ],
  };
}

function sumOf(rows: Row[]): Row {
  const [first] = rows;
  const cells = (first?.cells ?? []).map((_, column) =>
    rows.reduce((sum, { cells: own }) => sum + (own[column] ?? 0), 0),
  );
  return { name: 'together', cells };
}
