import { mutantOf } from './mutants.ts';
import type { Job } from './pool.ts';
import { Simulation } from './simulation.ts';

// Functions would log each call.
process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';

// The program of a pool's process: runs the seeds that it is given, one after the other.
process.on('message', async ({ seed, mutant }: Job) => {
  const options = mutant === undefined ? {} : mutantOf(mutant);
  process.send?.(await new Simulation(seed, options).run());
});
