import { handlers } from '../../lib/infra/handlers.ts';
import { keptBundles } from '../../lib/infra/kept-bundles.ts';
import { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { timed } from '../support/run/progress.ts';
import { installEmulator } from './emulator.ts';

/** Test files that run side by side find the emulator installed, and the functions bundled. */
export async function setup(): Promise<void> {
  const processes = new ProcessSupervisor();
  try {
    await installEmulator(processes);
    await timed('The functions are bundled', () => keptBundles(handlers()));
  } finally {
    await processes.close();
  }
}
