import { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { buildCluster } from './build-cluster.ts';

/** Test files that run side by side find the cluster built. */
export async function setup(): Promise<void> {
  const processes = new ProcessSupervisor();
  try {
    await buildCluster(processes);
  } finally {
    await processes.close();
  }
}
