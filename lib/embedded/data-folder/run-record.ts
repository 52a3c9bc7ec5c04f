import { closeSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import * as z from 'zod';

const group = z.object({
  what: z.string(),
  pid: z.number().optional(),
  startTime: z.string().optional(),
  marker: z.string(),
});
const state = z.object({
  pid: z.number(),
  start_time: z.string(),
  supervisor_id: z.string(),
  groups: z.array(group),
});
const change = z.union([z.object({ add: group }), z.object({ remove: z.string() })]);

/** A run of the program, and the process groups that it has started and that have not ended. */
export type RunState = z.infer<typeof state>;
type RunGroup = RunState['groups'][number];
type Change = z.infer<typeof change>;

/**
 * What is written down in a file: a state, then changes of it, a line each. Undefined when there is none, or
 * no state can be read.
 */
export function readRunRecord(file: string): RunState | undefined {
  try {
    const [first = '', ...lines] = readFileSync(file, 'utf8').split('\n');
    const { groups, ...run } = state.parse(JSON.parse(first));
    const byMarker = new Map(groups.map((one) => [one.marker, one]));
    for (const line of lines) apply(byMarker, parseChange(line));
    return { ...run, groups: [...byMarker.values()] };
  } catch {
    return undefined; // The first run, or one that ended while it began: the kernel's lock is what counts.
  }
}

/** Undefined for the last line of a run that ended while it wrote. */
function parseChange(line: string): Change | undefined {
  try {
    return change.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function apply(groups: Map<string, RunGroup>, made: Change | undefined): void {
  if (made === undefined) return;
  if ('add' in made) groups.set(made.add.marker, made.add);
  else groups.delete(made.remove);
}

/** Then the file is begun anew, with what is left. */
const CHANGES_MAX = 1_000;

/**
 * Writes down what runs, at once and not in the background: the program may be killed the moment after it has
 * started something. A change is a line more, for to replace the file each time would make the disk work
 * twenty times for each build.
 */
export class RunRecord {
  readonly #file: string;
  readonly #run: Omit<RunState, 'groups'>;
  readonly #groups = new Map<string, RunGroup>();
  /** Undefined once closed: its number is another file's by then. */
  #open: number | undefined;
  #changes = 0;

  constructor(file: string, run: Omit<RunState, 'groups'>) {
    this.#file = file;
    this.#run = run;
    this.#open = this.#begin();
  }

  add(started: RunGroup): void {
    this.#change({ add: started });
  }

  remove(marker: string): void {
    if (this.#groups.has(marker)) this.#change({ remove: marker });
  }

  /** Everything has ended. */
  close(): void {
    this.#groups.clear();
    this.#beginAnew();
    if (this.#open !== undefined) closeSync(this.#open);
    this.#open = undefined;
  }

  #change(made: Change): void {
    if (this.#open === undefined) return;
    apply(this.#groups, made);
    this.#changes += 1;
    if (this.#changes > CHANGES_MAX) this.#beginAnew();
    else writeSync(this.#open, `${JSON.stringify(made)}\n`);
  }

  #beginAnew(): void {
    if (this.#open === undefined) return;
    closeSync(this.#open);
    this.#open = this.#begin();
    this.#changes = 0;
  }

  #begin(): number {
    const content: RunState = { ...this.#run, groups: [...this.#groups.values()] };
    const temporary = `${this.#file}.tmp`;
    writeFileSync(temporary, `${JSON.stringify(content)}\n`, { mode: 0o600 });
    renameSync(temporary, this.#file);
    return openSync(this.#file, 'a');
  }
}
