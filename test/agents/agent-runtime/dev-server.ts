import { join } from 'node:path';
import { childEnvironment } from '../../../lib/processes/environment.ts';
import { freePort } from '../../../lib/processes/free-port.ts';
import type { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { until } from '../../support/until.ts';
import { type AgentServer, LANGGRAPH, pythonWith, SDK } from './agent-server.ts';

/** A server of LangChain's own, which is only ever asked: its licence lets nobody look into it. */
const PACKAGES = ['langgraph-cli[inmem]==0.4.40', LANGGRAPH, SDK];

/** An environment with `langgraph dev` and the official SDK, installed once. */
export const devPython = (processes: ProcessSupervisor): Promise<string> =>
  pythonWith(processes, 'dev', PACKAGES);

type DevOptions = {
  readonly python: string;
  readonly folder: string;
  readonly configFile?: string;
  readonly environment?: Record<string, string>;
};

/** Starts `langgraph dev` for a project; resolves when it is ready. */
export async function startDev(
  processes: ProcessSupervisor,
  { python, folder, configFile = 'langgraph.json', environment }: DevOptions,
): Promise<AgentServer> {
  const port = await freePort();
  const lines: string[] = [];
  const args = ['dev', '--no-browser', '--no-reload', '--host', '127.0.0.1', '--port', String(port)];
  const group = processes.start({
    command: join(python, 'bin/langgraph'),
    args: [...args, '--n-jobs-per-worker', '10', '--config', configFile],
    cwd: folder,
    environment: childEnvironment({
      LANGGRAPH_NO_VERSION_CHECK: 'true',
      LANGGRAPH_CLI_NO_ANALYTICS: '1',
      LANGSMITH_TRACING: 'false',
      ...environment,
    }),
    onLine: ({ line }) => void lines.push(line),
  });
  const url = `http://127.0.0.1:${port}`;
  await until(
    async () => {
      if (group.exit !== undefined) throw new Error(`it ended:\n${lines.join('\n')}`);
      return (await fetch(`${url}/ok`).catch(() => undefined))?.ok;
    },
    { what: () => `langgraph dev to be ready:\n${lines.slice(-20).join('\n')}` },
  );
  return { url, group, lines };
}
