import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../../../lib/processes/environment.ts';
import { freePort } from '../../../lib/processes/free-port.ts';
import type { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { run } from '../programs/python-tools.ts';
import { say } from '../run/progress.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const LISTENER_STOP_GRACE_MS = 15_000;

/** Runs the command line that administrators have, and gives what it printed as JSON. */
export type Admin = (...args: string[]) => Promise<Record<string, string>>;

/** The command line of administrators, on the installation with this table. `variables` lead to its account. */
export function adminOf(
  processes: ProcessSupervisor,
  environment: Record<string, string>,
  tableName: string,
): Admin {
  return async (...args) => {
    const words = [join(root, 'bin/slipway.ts'), 'admin', ...args, '--table', tableName, '--json'];
    return JSON.parse(await run(processes, process.execPath, words, { environment }));
  };
}

export type ListenerWish = {
  baseUrl: string;
  id: string;
  apiKey: string;
  /** Made if it is not there. */
  dataFolder: string;
};

/** Starts the listener program as somebody runs it on a machine of their own. */
export async function startListener(
  processes: ProcessSupervisor,
  { baseUrl, id, apiKey, dataFolder }: ListenerWish,
): Promise<{ stop(): Promise<void> }> {
  await mkdir(dataFolder, { recursive: true });
  const group = processes.start({
    command: process.execPath,
    args: [join(root, 'bin/listener.ts'), '--agents-port', String(await freePort()), '--drain-seconds', '5'],
    cwd: root,
    environment: childEnvironment({
      SLIPWAY_URL: baseUrl,
      SLIPWAY_LISTENER_ID: id,
      SLIPWAY_API_KEY: apiKey,
      SLIPWAY_LISTENER_DATA_DIR: dataFolder,
    }),
    onLine: ({ line }) => say(`listener: ${line}`),
  });
  return { stop: () => processes.stop(group, LISTENER_STOP_GRACE_MS) };
}
