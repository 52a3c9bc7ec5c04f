import { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { installEmulator } from './emulator.ts';

/** Test files that run side by side find the emulator installed. */
export async function setup(): Promise<void> {
  const processes = new ProcessSupervisor();
  try {
    await installEmulator(processes);
  } finally {
    await processes.close();
  }
}
