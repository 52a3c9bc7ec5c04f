import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RevisionStatus } from '../../../lib/contract/revision-status.ts';
import { isTerminal } from '../../../lib/domain/transitions.ts';
import { endWithRun } from '../run/end-with-run.ts';
import { until } from '../until.ts';
import { type ProcessFacts, readProcesses } from './processes.ts';

/** The whole program as a user starts it, driven over HTTP. */
export type Program = {
  baseUrl: string;
  apiKey: string;
  tenantId: string;
  dataFolder: string;
  process: ChildProcess;
  /** Everything it has printed. */
  output(): string;
  /** The process group of the program dies at once, as when the machine kills it. */
  killGroup(): Promise<void>;
  /** The program's own process alone dies at once. */
  killAlone(): Promise<void>;
  /** Asks it to end, and waits until it has. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Processes that carry this program's data folder in environment or arguments, its own included. */
  alive(): Promise<ProcessFacts[]>;
};

/** What requests need of an installation, wherever it runs; one that runs here can say what it did last. */
export type Installation = Pick<Program, 'baseUrl' | 'apiKey' | 'tenantId'> &
  Partial<Pick<Program, 'output'>>;

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** As `npm start` has it. */
export const compileCache = join(root, 'node_modules/.cache/slipway');
/** Said when everything answers; until then `credentials.json` may be an earlier run's. */
const READY = 'Slipway is running.';

export async function newDataFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'slipway-e2e-'));
}

/** Starts the program on a data folder (a new one unless given) and waits until it answers. */
export async function startProgram({
  dataFolder,
  environment = {},
  command = [process.execPath, join(root, 'bin/local.ts')],
}: {
  dataFolder?: string;
  environment?: Record<string, string>;
  /** What starts it; what is signalled is then this command's process. */
  command?: readonly [string, ...string[]];
} = {}): Promise<Program> {
  const folder = dataFolder ?? (await newDataFolder());
  const child = spawn(command[0], command.slice(1), {
    cwd: root,
    // A group of its own, as a shell gives it, so that the whole of it can be killed.
    detached: true,
    env: {
      ...process.env,
      // As it logs by itself; inside of tests its functions say nothing.
      POWERTOOLS_LOG_LEVEL: undefined,
      NODE_COMPILE_CACHE: compileCache,
      PORT: '0',
      SLIPWAY_DATA_DIR: folder,
      SLIPWAY_DRAIN_SECONDS: '10',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithRun(child, { group: true });
  let printed = '';
  child.stdout?.on('data', (chunk) => (printed += chunk));
  child.stderr?.on('data', (chunk) => (printed += chunk));
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const isReady = () => {
    const how = child.exitCode ?? child.signalCode;
    if (how !== null) throw new Error(`the program ended with ${how}`);
    return printed.includes(READY);
  };
  await until(isReady, { what: 'the program to start' }).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw new Error(`${String(error)}\n${printed}`);
  });
  const credentials = await readCredentials(folder);
  const end = async (pid: number, signal: NodeJS.Signals) => {
    process.kill(pid, signal);
    return exited;
  };
  return {
    baseUrl: credentials.base_url,
    apiKey: credentials.api_key,
    tenantId: credentials.tenant_id,
    dataFolder: folder,
    process: child,
    output: () => printed,
    killGroup: async () => void (await end(-(child.pid ?? 0), 'SIGKILL')),
    killAlone: async () => void (await end(child.pid ?? 0, 'SIGKILL')),
    stop: async (signal = 'SIGTERM') => {
      const hasEnded = child.exitCode !== null || child.signalCode !== null;
      return hasEnded ? child.exitCode : end(child.pid ?? 0, signal);
    },
    alive: () => processesOf(folder),
  };
}

type Credentials = { base_url: string; api_key: string; tenant_id: string };

async function readCredentials(folder: string): Promise<Credentials> {
  return JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8'));
}

async function processesOf(folder: string): Promise<ProcessFacts[]> {
  return readProcesses().filter(
    (one) => one.command.includes(folder) || one.environment.includes(folder) || one.cwd.startsWith(folder),
  );
}

/** Stops the program if it still runs and removes its folder. */
export async function discard(program: Program): Promise<void> {
  await program.stop();
  await rm(program.dataFolder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

export type Answer = { status: number; body: unknown; headers: Headers };

/** One request with the program's key; the body of the answer is parsed. */
export async function api(
  program: Installation,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(program.baseUrl + path, {
    method,
    headers: {
      'x-api-key': program.apiKey,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? undefined : JSON.parse(text),
    headers: response.headers,
  };
}

export type ShownRevision = {
  id: string;
  status: RevisionStatus;
  status_message: string | null;
  status_history: { status: RevisionStatus; at: string }[];
};
export type ShownDeployment = {
  id: string;
  latest_revision_id: string;
  active_revision_id: string | null;
  status: string;
  url: string | null;
  source_config: { custom_url: string | null };
};

/** Throws unless the answer has the status that the test counts on. */
export async function expectApi<T>(
  program: Installation,
  method: string,
  path: string,
  body: unknown,
  status: number,
): Promise<T> {
  const answer = await api(program, method, path, body);
  if (answer.status !== status) {
    throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }
  return answer.body as T; // the test states the shape it reads
}

export const create = (program: Installation, name: string, repoUrl: string, more: object = {}) =>
  expectApi<ShownDeployment>(
    program,
    'POST',
    '/v2/deployments',
    {
      name,
      source: 'github',
      source_config: { repo_url: repoUrl },
      source_revision_config: { repo_ref: 'main' },
      ...more,
    },
    201,
  );

export const patch = (program: Installation, id: string, body: object) =>
  expectApi<ShownDeployment>(program, 'PATCH', `/v2/deployments/${id}`, body, 200);

export const deploymentOf = (program: Installation, id: string) =>
  expectApi<ShownDeployment>(program, 'GET', `/v2/deployments/${id}`, undefined, 200);

export const revisionOf = (program: Installation, id: string, revisionId: string) =>
  expectApi<ShownRevision>(program, 'GET', `/v2/deployments/${id}/revisions/${revisionId}`, undefined, 200);

/** The shortest that a revision takes on a fast machine: to ask sooner costs, and tells nothing. */
const SOONEST_END_MS = 250;

/** Of what a program has printed, enough to see what it did last. */
const LAST_LINES = 60;

export const lastWordsOf = ({ output }: Installation): string =>
  output === undefined ? '' : `\n${output().split('\n').slice(-LAST_LINES).join('\n')}`;

/** Polls as clients do until the revision has a status that the check takes. */
export const revisionUntil = (
  program: Installation,
  id: string,
  revisionId: string,
  wanted: (status: RevisionStatus) => boolean,
  timeoutMs = 240_000,
  firstMs?: number,
): Promise<ShownRevision> => {
  let seen: ShownRevision | undefined;
  return until(
    async () => {
      seen = await revisionOf(program, id, revisionId);
      return wanted(seen.status) ? seen : undefined;
    },
    {
      timeoutMs,
      what: () => `revision ${revisionId}, now ${JSON.stringify(seen)}${lastWordsOf(program)}`,
      ...(firstMs !== undefined && { firstMs }),
    },
  );
};

export const ended = (program: Installation, id: string, revisionId: string, timeoutMs?: number) =>
  revisionUntil(program, id, revisionId, isTerminal, timeoutMs, SOONEST_END_MS);

/** Copies the example server into a folder of a test. */
export const copyExample = (to: string): Promise<void> =>
  cp(join(root, 'examples/hello-server'), to, { recursive: true });

/**
 * Waits until the deployment's newest revision is active, and gives its deployment. Throws, quoting the
 * reason, when it ended otherwise.
 */
export async function deployed(program: Installation, made: ShownDeployment): Promise<ShownDeployment> {
  const revision = await ended(program, made.id, made.latest_revision_id);
  if (revision.status !== 'DEPLOYED') throw new Error(`${revision.status}: ${revision.status_message}`);
  return deploymentOf(program, made.id);
}

/** What a deployment's server answers under its stable address. */
export async function askServer(deployment: ShownDeployment, path = ''): Promise<Response> {
  return fetch(`${deployment.source_config.custom_url ?? 'http://no-address.invalid'}${path}`);
}

/** What the example server says on its first page. Throws unless it answers 200. */
export async function helloFrom(
  deployment: ShownDeployment,
): Promise<{ greeting: string | null; version: string }> {
  const response = await askServer(deployment);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`the server answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

/** The program's processes: what carries its data folder, and everything that one of those has started. */
export async function familyOf(program: Program): Promise<ProcessFacts[]> {
  const all = readProcesses();
  const family = new Set([program.process.pid, ...(await program.alive()).map((one) => one.pid)]);
  for (let size = 0; size < family.size; ) {
    size = family.size;
    for (const one of all) if (family.has(one.parentPid)) family.add(one.pid);
  }
  return all.filter((one) => family.has(one.pid));
}

/**
 * Stops the program, removes its folder, and gives the command of each process that was left (there should be
 * none).
 */
export async function endProgram(program: Program): Promise<string[]> {
  const family = new Set((await familyOf(program)).map((one) => `${one.pid} ${one.startTime}`));
  await program.stop();
  const carriers = new Set((await program.alive()).map((one) => one.pid));
  const left = readProcesses().filter(
    (one) => carriers.has(one.pid) || family.has(`${one.pid} ${one.startTime}`),
  );
  await discard(program);
  return left.map((one) => one.command);
}
