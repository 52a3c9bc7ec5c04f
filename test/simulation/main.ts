import { parseArgs } from 'node:util';
import { find, groups, guardsSeen, type Mutant } from './mutants.ts';
import { Simulation } from './simulation.ts';
import { Summary } from './summary.ts';

// Functions would log each call.
process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';

const USAGE = `npm run simulate -- [--seeds N] [--from S]   runs N seeds (100) from S on (by chance, printed)
npm run simulate -- --seed S [--trace]       runs one again, and says what happened in it
npm run simulate -- --mutants all [--seeds N]    leaves out each guard and each group of them, and says which of N seeds (2000) notices;
                                             --mutants groups: the groups alone`;

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
  },
});
const GUARD_SEEDS = 60;

async function runMutants(which: string, seeds: number): Promise<boolean> {
  if (which !== 'all' && which !== 'groups')
    throw new Error(`--mutants is all or groups, not '${which}'.\n${USAGE}`);
  const guards = which === 'all' ? await guardsSeen(GUARD_SEEDS) : [];
  const single = guards.map((name): Mutant => ({ name, drops: (guard) => guard === name }));
  let missed = 0;
  for (const mutant of [...groups, ...single]) {
    const found = await find(mutant, seeds);
    const isGroup = groups.includes(mutant);
    if (found === undefined && isGroup) missed += 1;
    console.log(
      `${isGroup ? 'group' : 'guard'}  ${mutant.name}  |  ${found === undefined ? `not noticed in ${seeds}` : `seed ${found.seed}: ${found.violation}`}`,
    );
  }
  return missed === 0;
}

async function runSeeds(from: number, seeds: number, traces: boolean): Promise<boolean> {
  console.log(`Simulating ${seeds} seeds from ${from} on.`);
  const summary = new Summary();
  let isAskedToEnd = false;
  // A long run that is ended says what it has seen so far.
  process.once('SIGTERM', () => {
    isAskedToEnd = true;
  });
  for (let seed = from; seed < from + seeds && !isAskedToEnd; seed++) {
    const result = await new Simulation(seed, { traces }).run();
    for (const line of result.trace) console.log(line);
    if (result.violation !== undefined) console.log(`VIOLATION  seed ${seed}: ${result.violation}`);
    summary.add(result);
  }
  console.log(summary.text());
  return summary.isClean;
}

const aStart = Math.floor(Math.random() * 2 ** 31);
const from = numbered('seed', values.seed, numbered('from', values.from, aStart));
const isClean =
  values.mutants === undefined
    ? await runSeeds(
        from,
        values.seed === undefined ? numbered('seeds', values.seeds, 100) : 1,
        values.trace === true,
      )
    : await runMutants(values.mutants, numbered('seeds', values.seeds, 2000));
process.exitCode = isClean ? 0 : 1;
