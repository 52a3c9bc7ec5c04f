import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../../../lib/processes/environment.ts';
import { freePort } from '../../../lib/processes/free-port.ts';
import type { ProcessGroup } from '../../../lib/processes/group.ts';
import type { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { processesOf } from '../../../lib/processes/table/read.ts';
import { installPython } from '../../support/programs/python-tools.ts';
import { until } from '../../support/until.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const cache = join(root, 'node_modules/.cache/slipway-agent-runtime');
const project = fileURLToPath(new URL('project', import.meta.url));

export const LANGGRAPH = 'langgraph==1.2.24';
export const SDK = 'langgraph-sdk==0.4.14';
/** What a build adds to a project's own packages. */
const WORKER_PACKAGES = [LANGGRAPH, 'langgraph-checkpoint-postgres==3.2.0', 'psycopg[binary]==3.3.9'];

/** A virtual environment of packages, installed once. */
export async function pythonWith(
  processes: ProcessSupervisor,
  name: string,
  packages: readonly string[],
): Promise<string> {
  mkdirSync(cache, { recursive: true });
  const folder = join(cache, name);
  await installPython(processes, folder, packages);
  return folder;
}

/** A copy of a project, as an artifact has it. `python`: a virtual environment of other packages. */
export async function newProject(
  processes: ProcessSupervisor,
  source = project,
  python?: string,
): Promise<string> {
  const venv = python ?? (await pythonWith(processes, 'worker', WORKER_PACKAGES));
  const folder = await mkdtemp(join(tmpdir(), 'agent-project-'));
  await cp(source, folder, { recursive: true });
  await symlink(venv, join(folder, '.venv'));
  return folder;
}

export type AgentServer = {
  readonly url: string;
  readonly group: ProcessGroup;
  /** What it and its graphs have written. */
  readonly lines: readonly string[];
};

export type ServerOptions = {
  readonly folder: string;
  readonly databaseUri: string;
  readonly buildId?: string;
  readonly configFile?: string;
  readonly environment?: Readonly<Record<string, string>>;
};

/** Starts the server for a project; resolves when it is ready. */
export async function startAgentServer(
  processes: ProcessSupervisor,
  { folder, databaseUri, buildId = 'a', configFile = 'langgraph.json', environment }: ServerOptions,
): Promise<AgentServer> {
  const port = await freePort();
  const lines: string[] = [];
  const group = processes.start({
    command: process.execPath,
    args: [join(root, 'lib/agent-runtime/main.ts'), configFile],
    cwd: folder,
    environment: childEnvironment({
      DATABASE_URI: databaseUri,
      PORT: String(port),
      SLIPWAY_BUILD_ID: buildId,
      SLIPWAY_REVISION_ID: `revision-of-${buildId}`,
      PYTHONDONTWRITEBYTECODE: '1',
      ...environment,
    }),
    onLine: ({ line }) => void lines.push(line),
  });
  const url = `http://127.0.0.1:${port}`;
  await until(
    async () => {
      if (group.exit !== undefined) throw new Error(`it ended:\n${lines.join('\n')}`);
      return (await fetch(`${url}/ready`).catch(() => undefined))?.ok;
    },
    { what: () => `the agent server to be ready:\n${lines.join('\n')}` },
  );
  return { url, group, lines };
}

/** Asks the server; the text of the answer, since numbers must not change. */
export async function ask(
  { url }: Pick<AgentServer, 'url'>,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; text: string }> {
  const sent = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url + path, { method, headers, ...(sent !== undefined && { body: sent }) });
  return { status: response.status, text: await response.text() };
}

/** Reads a stream of updates until it ends or is cut. */
export async function followed(
  url: string,
  after: string,
): Promise<{ updates: string[]; last: string; isWhole: boolean }> {
  const updates: string[] = [];
  let last = after;
  let text = '';
  const response = await fetch(url, { headers: { 'last-event-id': after } });
  const isWhole = await readAll(response, (part) => {
    text += part;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      last = /^id: (.*)$/m.exec(event)?.[1] ?? last;
      const update = /^event: updates\ndata: \{"([^"]+)"/m.exec(event)?.[1];
      if (update !== undefined) updates.push(update);
    }
  });
  return { updates, last, isWhole };
}

async function readAll(response: Response, take: (text: string) => void): Promise<boolean> {
  const decoder = new TextDecoder();
  try {
    for await (const part of response.body ?? []) take(decoder.decode(part, { stream: true }));
    return true;
  } catch {
    return false;
  }
}

/** Kills the process of the graphs alone. */
export function killWorkerOf(server: AgentServer): void {
  const worker = processesOf(server.group).find(({ pid }) => isWorker(pid));
  if (worker === undefined) throw new Error('the server has no worker');
  process.kill(worker.pid, 'SIGKILL');
}

const isWorker = (pid: number): boolean =>
  existsSync(`/proc/${pid}/cmdline`) &&
  readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('slipway_worker');
