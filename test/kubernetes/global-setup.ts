import { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { buildCluster } from './build-cluster.ts';
import { buildChartTools } from './chart.ts';

/** Test files that run side by side find the cluster and its tools built. */
export async function setup(): Promise<void> {
  const processes = new ProcessSupervisor();
  try {
    await buildCluster(processes);
    await buildChartTools(processes);
  } finally {
    await processes.close();
  }
}
