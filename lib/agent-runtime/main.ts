import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Environment, environmentOf } from './environment.ts';
import type { Agent } from './http/agent.ts';
import { assistantIdOf } from './http/assistants.ts';
import { createAgentServer } from './http/server.ts';
import { type AgentQueue, openQueue } from './queue/agent-queue.ts';
import type { Server } from './queue/queue-store.ts';
import { migrate } from './schema/migrate.ts';
import { noteAssistants } from './tables/assistants.ts';
import { noteGraphs } from './tables/build-graphs.ts';
import { Database, oncePostgresIsThere } from './tables/database.ts';
import { KeptWorker } from './worker/kept-worker.ts';

/** Runs get so long to come to their next step; then they are put back as they stand. */
const DRAIN_MILLISECONDS = 12_000;
const PING_MILLISECONDS = 5_000;
/** A server that starts waits so long for Postgres, which may be starting as well. */
const AWAY_MILLISECONDS = 60_000;

const pythonPackage = join(dirname(fileURLToPath(import.meta.url)), 'python');
const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** Starts the worker of the graphs, with everything that the deployment has set. */
const startWorker = async (
  configPath: string,
  { BG_JOB_TIMEOUT_SECS: seconds, SLIPWAY_WORKER_FOLDER: folder = pythonPackage }: Environment,
): Promise<KeptWorker> =>
  KeptWorker.start({
    program: resolve('.venv/bin/python'),
    args: ['-m', 'slipway_worker', configPath],
    cwd: process.cwd(),
    environment: {
      ...process.env,
      // Of the server alone: graphs start programs of their own.
      SLIPWAY_INTERNAL_TOKEN: undefined,
      PYTHONPATH: [folder, process.env['PYTHONPATH']].filter((path) => path !== undefined).join(':'),
      PYTHONUNBUFFERED: '1',
    },
    pingEveryMs: PING_MILLISECONDS,
    silentMsMax: seconds * 1_000,
    say,
  });

async function main(configPath: string): Promise<void> {
  const environment = environmentOf(process.env);
  const database = new Database(environment.DATABASE_URI);
  const onceThere = <T>(work: () => Promise<T>) => oncePostgresIsThere(work, AWAY_MILLISECONDS, say);
  await onceThere(() => migrate(database));
  const worker = await startWorker(configPath, environment);
  for (const name of worker.hello.lacks) say(`${configPath}: ${name} is not served yet.`);
  const graphIds = Object.keys(worker.hello.graphs);
  await onceThere(() =>
    noteAssistants(database, new Map(graphIds.map((graphId) => [assistantIdOf(graphId), { graphId }]))),
  );
  const server: Server = {
    owner: randomUUID(),
    buildId: environment.SLIPWAY_BUILD_ID,
    revisionId: environment.SLIPWAY_REVISION_ID,
  };
  await noteGraphs(database, server, Object.keys(worker.hello.graphs));
  await serve({ environment, database, worker, server });
}

type Parts = { environment: Environment; database: Database; worker: KeptWorker; server: Server };

async function serve({ environment, database, worker, server }: Parts): Promise<void> {
  const closing = new AbortController();
  let isRetiring = false;
  const queue = openQueue({
    database,
    server,
    worker,
    slots: environment.N_JOBS_PER_WORKER,
    timeoutSeconds: environment.BG_JOB_TIMEOUT_SECS,
    say,
  });
  const agent: Agent = {
    database,
    server,
    worker,
    hub: queue.hub,
    closing: closing.signal,
    internalToken: environment.SLIPWAY_INTERNAL_TOKEN,
    isRetiring: () => isRetiring,
    retire: () => {
      isRetiring = true;
    },
    problem: async () => (isRetiring ? 'the server stops' : problemOf(database, worker, queue)),
    running: () => queue.inHand.runs,
    totals: queue.totals,
    say,
  };
  const http = createAgentServer(agent);
  http.listen(environment.PORT, environment.HOST);
  await once(http, 'listening');
  say(`Serving ${Object.keys(worker.hello.graphs).join(', ')} on ${JSON.stringify(http.address())}.`);

  await askedToStop();
  isRetiring = true;
  http.close();
  await queue.drain(DRAIN_MILLISECONDS);
  // Streams show the last steps before they are cut.
  closing.abort();
  http.closeAllConnections();
  await worker.stop();
  await database.close();
}

/** Asked again it goes on to stop: the process would else end with its runs in hand. */
const askedToStop = (): Promise<void> =>
  new Promise((stop) => {
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => stop());
  });

async function problemOf(
  database: Database,
  worker: KeptWorker,
  queue: AgentQueue,
): Promise<string | undefined> {
  if (!worker.isUp) return 'the process of the graphs has ended, and is started again';
  try {
    await database.query('select 1');
  } catch (error) {
    return `Postgres does not answer: ${String(error)}`;
  }
  return queue.problem;
}

const [configPath] = process.argv.slice(2);
if (configPath === undefined) {
  say('Usage: node lib/agent-runtime/main.ts <path of langgraph.json>');
  process.exitCode = 2;
} else
  try {
    await main(configPath);
  } catch (error) {
    say(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = 1;
  } finally {
    // A worker that still loads, or a connection that was not closed, must not keep the process.
    process.exit();
  }
