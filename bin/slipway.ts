import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemClock } from '../lib/adapters/clock.ts';
import { deployedTable } from '../lib/cli/deployed-table.ts';
import { Obstacle } from '../lib/cli/explain.ts';
import { main, type OpenTable } from '../lib/cli/main.ts';
import type { Place } from '../lib/cli/options.ts';
import { runningTable } from '../lib/embedded/running-database.ts';

async function open(place: Place): Promise<OpenTable> {
  if (place.kind === 'deployed') return deployedTable(place.tableName, place.region);
  const table = await runningTable(resolve(place.dataFolder));
  if (table === undefined)
    throw new Obstacle(
      `Slipway does not run on ${place.dataFolder}. Start it there with npm start, and run this again beside it.`,
    );
  return { table, close: () => table.client.destroy() };
}

process.exitCode = await main(process.argv.slice(2), {
  clock: systemClock,
  environment: process.env,
  isFolder: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false,
  open,
  write: (line) => console.log(line),
  writeError: (line) => console.error(line),
});
