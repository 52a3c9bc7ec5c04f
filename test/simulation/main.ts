import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import * as agents from './agents/mutants.ts';
import { QueueSimulation } from './agents/simulation.ts';
import { Guards } from './guards.ts';
import { type Found, find, groups, Learning, mutantOf } from './mutants.ts';
import { Pool, seedsFrom } from './pool.ts';
import { type Result, Simulation } from './simulation.ts';

const ordered = (counts: Map<string, number>): string =>
  [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

/** Adds runs up, for people. */
class Summary {
  readonly #startedAt = performance.now();
  #seeds = 0;
  #events = 0;
  #operations = 0;
  #virtualSeconds = 0;
  readonly #violations: string[] = [];
  readonly #endings = new Map<string, number>();
  readonly #counts = new Map<string, number>();

  add({ seed, violation, events, operations, seconds, endings, counts }: Result): void {
    this.#seeds += 1;
    this.#events += events;
    this.#operations += operations;
    this.#virtualSeconds += seconds;
    if (violation !== undefined) this.#violations.push(`seed ${seed}: ${violation}`);
    for (const [status, count] of Object.entries(endings))
      this.#endings.set(status, (this.#endings.get(status) ?? 0) + count);
    for (const [what, count] of Object.entries(counts))
      this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  get isClean(): boolean {
    return this.#violations.length === 0;
  }

  text(): string {
    const seconds = (performance.now() - this.#startedAt) / 1000;
    return [
      `${this.#seeds} seeds, ${this.#events} events, ${this.#operations} operations of the table, ${Math.round(this.#virtualSeconds / 3600)} h of virtual time in ${seconds.toFixed(1)} s`,
      `${isOfAgents ? 'runs' : 'revisions'} ended: ${ordered(this.#endings)}`,
      `what went wrong: ${ordered(this.#counts)}`,
      `${this.#violations.length} violations`,
      ...this.#violations,
    ].join('\n');
  }
}

// Functions would log each call.
process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';

const USAGE = `npm run simulate -- [--seeds N] [--from S]   runs N seeds (100) from S on (by chance, printed)
npm run simulate -- --seed S [--trace] [--without NAME]
                                             runs one again, says what happened in it, leaves out a guard or a group of them
npm run simulate -- --mutants all|groups [--seeds N] [--from S]
                                             leaves out each group of guards, or each guard too, and says which of N seeds (2000)
                                             from S (1) on notices first, as a table
--jobs N                                     so many seeds at once (one a processor)
--of agents                                  the queue of the durable agent server instead of the engine`;

function numbered(name: string, text: string | undefined, otherwise: number): number {
  const number = text === undefined ? otherwise : Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new Error(`--${name} is a whole number, not '${text}'.\n${USAGE}`);
}

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string' },
    seed: { type: 'string' },
    trace: { type: 'boolean' },
    mutants: { type: 'string' },
    without: { type: 'string' },
    jobs: { type: 'string' },
    of: { type: 'string', default: 'engine' },
  },
});
if (values.of !== 'engine' && values.of !== 'agents')
  throw new Error(`--of is engine or agents, not '${values.of}'.\n${USAGE}`);
const isOfAgents = values.of === 'agents';
const ID = /(?: of)? [0-9a-f]{8}-[0-9a-f-]{27}/g;

type Seeds = { from: number; seeds: number };

async function runMutants(pool: Pool, which: string, { from, seeds }: Seeds): Promise<boolean> {
  if (which !== 'all' && which !== 'groups')
    throw new Error(`--mutants is all or groups, not '${which}'.\n${USAGE}`);
  let missed = 0;
  console.log('| Left out | Noticed after | What was noticed |\n|---|---|---|');
  const left = isOfAgents ? agents.rules : [...groups.keys()];
  for (const group of left) {
    const found = await find(pool, group, seedsFrom(from, seeds));
    if (found === undefined) missed += 1;
    console.log(`| **${group}** | ${foundAfter(found, from) ?? `not in ${seeds} seeds`} |`);
  }
  if (which === 'all' && !isOfAgents) await runGuards(pool, { from, seeds });
  if (missed > 0) console.log(`${missed} of ${left.length} were not noticed`);
  return missed === 0;
}

async function runGuards(pool: Pool, { from, seeds }: Seeds): Promise<void> {
  const learning = await Learning.of(pool, from, seeds);
  for (const guard of learning.guards) {
    const needing = learning.seedsThatNeed(guard);
    const found = await find(pool, guard, needing);
    const alone = needing.length === 0 ? 'never' : `in ${needing.length} of ${seeds} seeds`;
    console.log(`| ${guard} | ${foundAfter(found, from) ?? `not noticed | ${alone} alone in the way`} |`);
  }
}

const foundAfter = (found: Found | undefined, from: number): string | undefined =>
  found && `${found.seed - from + 1} seeds | ${found.violation.replaceAll(ID, '')}`;

async function runSeeds(pool: Pool, { from, seeds }: Seeds): Promise<boolean> {
  console.log(`Simulating ${seeds} seeds from ${from} on.`);
  const summary = new Summary();
  let isAskedToEnd = false;
  // A long run that is ended says what it has seen so far.
  process.once('SIGTERM', () => {
    isAskedToEnd = true;
  });
  const jobs = Iterator.from(seedsFrom(from, seeds)).map((seed) => ({ seed }));
  await pool.run(jobs, (result) => {
    const { seed, violation } = result;
    if (violation !== undefined) console.log(`VIOLATION  seed ${seed}: ${violation}`);
    summary.add(result);
    return isAskedToEnd ? 'enough' : undefined;
  });
  console.log(summary.text());
  return summary.isClean;
}

async function runOne(seed: number, traces: boolean, without?: string): Promise<boolean> {
  const summary = new Summary();
  if (isOfAgents) {
    const rules = new Set(without === undefined ? [] : [without]);
    const result = await new QueueSimulation(seed, { traces, without: rules }).run();
    for (const line of result.trace) console.log(line);
    summary.add(result);
    console.log(summary.text());
    return summary.isClean;
  }
  const { drops, ...mutant } = without === undefined ? {} : mutantOf(without);
  const guards = new Guards(drops);
  const result = await new Simulation(seed, { ...mutant, guards, traces }).run();
  for (const line of result.trace) console.log(line);
  if (drops !== undefined && ![...guards.seen].some(drops))
    throw new Error(
      `This seed comes by no guard '${without}', but by these: ${[...guards.seen].sort().join('; ')}`,
    );
  summary.add(result);
  console.log(summary.text());
  return summary.isClean;
}

async function runMany(): Promise<boolean> {
  const jobs = numbered('jobs', values.jobs, availableParallelism());
  const pool = new Pool(jobs, isOfAgents ? agents.program : undefined);
  try {
    if (values.mutants === undefined) {
      const from = numbered('from', values.from, Math.floor(Math.random() * 2 ** 31));
      return await runSeeds(pool, { from, seeds: numbered('seeds', values.seeds, 100) });
    }
    const seeds = { from: numbered('from', values.from, 1), seeds: numbered('seeds', values.seeds, 2000) };
    return await runMutants(pool, values.mutants, seeds);
  } finally {
    pool.close();
  }
}

const isClean =
  values.seed === undefined
    ? await runMany()
    : await runOne(numbered('seed', values.seed, 0), values.trace === true, values.without);
process.exitCode = isClean ? 0 : 1;
