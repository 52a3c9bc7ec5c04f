import { cpus } from 'node:os';
import { idle } from './idle.ts';
import { overhead } from './overhead.ts';

/** Prints what the embedded default costs, measured now on this machine. Nothing is asserted: figures are for reading side by side. */
const [cpu] = cpus();
console.log(`${cpus().length} x ${cpu?.model ?? 'unknown'}, Node ${process.version}, ${process.platform}\n`);
await overhead();
await idle();
