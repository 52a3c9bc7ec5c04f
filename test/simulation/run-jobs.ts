import { Guards } from './guards.ts';
import { mutantOf } from './mutants.ts';
import type { Answer, Job } from './pool.ts';
import { Simulation } from './simulation.ts';

// Functions would log each call.
process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';

async function answerOf({ seed, mutant, learns }: Job): Promise<Answer> {
  const { drops, ...options } = mutant === undefined ? {} : mutantOf(mutant);
  const guards = learns === true || drops !== undefined ? new Guards(drops) : undefined;
  const result = await new Simulation(seed, { ...options, ...(guards && { guards }) }).run();
  if (guards === undefined) return result;
  const { seen, nameless, refusals } = guards;
  return { ...result, learnt: { seen, nameless, refusals: [...refusals.values()] } };
}

// The program of a pool's process: runs the seeds that it is given, one after the other.
process.on('message', async (job: Job) => {
  process.send?.(await answerOf(job));
});
