import { cpus } from 'node:os';
import { bundles } from './bundles.ts';
import { cost } from './cost-tables.ts';
import { hostile } from './hostile.ts';
import { idle } from './idle.ts';
import { init } from './init.ts';
import { mass } from './mass.ts';
import { overhead } from './overhead.ts';
import { warm } from './warm.ts';

/**
 * What can be asked for by name; all of it otherwise. The first four are the embedded default's, the others
 * AWS's.
 */
const parts: Record<string, () => Promise<void>> = {
  overhead,
  idle,
  hostile,
  mass,
  bundles,
  init,
  warm,
  cost,
};

/**
 * Prints what Slipway costs and takes, measured now on this machine. Nothing is asserted: figures are for
 * reading side by side.
 */
const [cpu] = cpus();
console.log(`${cpus().length} x ${cpu?.model ?? 'unknown'}, Node ${process.version}, ${process.platform}\n`);
for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts)) {
  const part = parts[name];
  if (part === undefined) throw new Error(`There is no '${name}': ${Object.keys(parts).join(', ')}`);
  await part();
}
