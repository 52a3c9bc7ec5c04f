import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { childEnvironment } from '../../lib/processes/environment.ts';
import type { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { until } from '../support/until.ts';
import { buildCluster } from './build-cluster.ts';

const STOP_GRACE_MS = 3_000;
const OUTPUT_LINES_MAX = 2_000;

export type Cluster = {
  /** Of the API server. */
  url: string;
  /** The administrator's. */
  kubeconfig: string;
  /** A line of JSON for each request, the latest last. */
  auditLog: string;
  folder: string;
  /** What it has printed lately. Lines that say E or W are usual. */
  output(): string;
  stop(): Promise<void>;
};

/**
 * Starts a Kubernetes cluster on free ports of 127.0.0.1: a real API server and real controllers, without
 * containers (cluster/README.md). All its files are in `folder`, which need not exist; nothing is left in
 * other folders. The first start on a machine takes minutes, for it compiles Kubernetes.
 */
export async function startCluster(processes: ProcessSupervisor, folder: string): Promise<Cluster> {
  const program = await buildCluster(processes);
  await mkdir(folder, { recursive: true });
  const lines: string[] = [];
  let url: string | undefined;
  const group = processes.start({
    command: program,
    args: [folder],
    cwd: folder,
    environment: childEnvironment(),
    // Held open: the cluster ends with this process.
    stdin: 'pipe',
    onLine: ({ stream, line }) => {
      if (stream === 'stdout') url ??= /^ready (\S+)$/.exec(line)?.[1];
      else if (lines.push(line) > OUTPUT_LINES_MAX) lines.shift();
    },
  });
  const output = () => lines.join('\n');
  const isReady = () => {
    if (group.exit !== undefined) throw new Error(`The test cluster ended:\n${output()}`);
    return url;
  };
  return {
    url: await until(isReady, { what: 'the test cluster to start' }),
    kubeconfig: join(folder, 'kubeconfig'),
    auditLog: join(folder, 'audit.log'),
    folder,
    output,
    stop: () => processes.stop(group, STOP_GRACE_MS),
  };
}
