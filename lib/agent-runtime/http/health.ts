import { type Handler, json } from './request.ts';

/** The version of the HTTP API that clients look for, not of this program. */
const API_VERSION = '0.1.0';

const ready: Handler = async (agent) => {
  const problem = await agent.problem();
  return problem === undefined
    ? json('{"ok":true}')
    : json(JSON.stringify({ ok: false, detail: problem }), 503);
};

const info: Handler = async ({ worker, server }) =>
  json(
    JSON.stringify({
      version: API_VERSION,
      langgraph_py_version: worker.hello.langgraph,
      flags: { assistants: true, crons: false, langsmith: false },
      host: { kind: 'slipway', revision_id: server.revisionId },
      lacks: worker.hello.lacks,
    }),
  );

type Metric = readonly [name: string, help: string, value: number];

const metrics: Handler = async ({ database, worker, running }) => {
  const rows = await database.query<{ status: string; count: number }>(
    "select status, count(*) as count from rt.runs where status in ('pending', 'running') group by status",
  );
  const counted = (status: string): number => rows.find((row) => row.status === status)?.count ?? 0;
  const all: Metric[] = [
    ['slipway_runs_pending', 'Runs of all builds that wait for their turn', counted('pending')],
    ['slipway_runs_running', 'Runs of all builds that a server has in hand', counted('running')],
    ['slipway_server_runs_running', 'Runs that this server has in hand', running()],
    ['slipway_worker_up', 'Whether the process of the graphs runs', worker.isUp ? 1 : 0],
    ['process_resident_memory_bytes', 'Memory of the server, without the worker', process.memoryUsage.rss()],
    ['process_uptime_seconds', 'Since the start of the server', Math.round(process.uptime())],
  ];
  const lines = all.map(
    ([name, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${value}\n`,
  );
  return { body: lines.join(''), type: 'text/plain; version=0.0.4' };
};

const ok: Handler = async () => json('{"ok":true}');

/** Asked without the project's own authentication: by whoever watches the server. */
export const healthRoutes: readonly (readonly [string, string, Handler])[] = [
  ['GET', '/ok', ok],
  ['GET', '/live', ok],
  ['GET', '/ready', ready],
  ['GET', '/info', info],
  ['GET', '/metrics', metrics],
];
