import type { Job } from '../pool.ts';
import { QueueSimulation } from './simulation.ts';

// The program of a pool's process: runs the seeds that it is given, one after the other.
process.on('message', async ({ seed, mutant }: Job) => {
  const without = new Set(mutant === undefined ? [] : [mutant]);
  process.send?.(await new QueueSimulation(seed, { without }).run());
});
