import type { Client } from '../../client/client.ts';
import type { Deployment, LogEntry } from '../../client/endpoints.ts';
import { logLevels } from '../../contract/log-level.ts';
import { command } from '../shell/command.ts';
import { UsageError } from '../shell/ends.ts';
import { deploymentOf, revisionOf } from '../shell/names.ts';
import type { Style } from '../shell/output.ts';
import type { Shell } from '../shell/shell.ts';
import { timeOf } from '../shell/times.ts';

const OF_REVISION = 'GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs';
const OF_ALL = 'GET /v2/deployments/{deployment_id}/logs';
const LINES = 100;
const LINES_MAX = 1_000;

const styles: Partial<Record<LogEntry['level'], Style>> = { ERROR: 'red', WARNING: 'yellow', DEBUG: 'dim' };

export const logs = command({
  name: 'logs',
  args: '[D]',
  says: 'Print the log of a server or of a build, or follow it',
  examples: [
    'slipway logs agent -f',
    'slipway logs agent --build --revision 3',
    'slipway logs --since 15m --level ERROR --grep timeout --json',
  ],
  flags: {
    follow: { short: 'f', says: 'go on as lines come, until Ctrl-C or the end of --revision' },
    build: { says: "the build's log (default: the server's)" },
    revision: { value: 'REVISION', says: "of this revision (default: of all; of builds, the newest's)" },
    since: { value: 'TIME', says: 'from then on: 90s, 15m, 2h, 1d, or a time as 2026-11-26T10:00:00Z' },
    lines: { short: 'n', value: 'N', says: `the last N lines (default: ${LINES}; with --since: all)` },
    level: { value: 'LEVEL', says: 'this level and above', among: logLevels },
    grep: { value: 'TEXT', says: 'only lines that contain it' },
  },
  async run(shell, given, [name]) {
    const { since, level, grep, follow, revision } = given;
    const begin = since === undefined ? undefined : timeOf('since', since, shell.world.now(), -1);
    const count = countOf(given.lines);
    const deployment = await deploymentOf(shell, name);
    const log = await logOf(shell, deployment, given.build === true ? (revision ?? 'latest') : revision);
    const query = {
      type: given.build === true ? ('build' as const) : ('deploy' as const),
      level: logLevels.find((each) => each === level),
      query: grep,
      start_time: begin,
    };
    const last =
      begin === undefined || given.lines !== undefined
        ? await lastLines(shell, log, query, count)
        : await allLines(shell, log, query);
    if (follow !== true) return;
    const onProblem = (problem?: Error) =>
      void (problem !== undefined && shell.output.say(problem.message, 'yellow'));
    for await (const entry of log.follow(query, { after: last, onProblem })) print(shell, entry);
  },
});

type Page = { logs: LogEntry[]; next_offset: string | null };
type Query = {
  type: 'build' | 'deploy';
  level: LogEntry['level'] | undefined;
  query: string | undefined;
  start_time: Date | undefined;
};
type PageQuery = Query & { order: 'asc' | 'desc'; limit: number; offset?: string | undefined };
type FollowOptions = Parameters<Client['follow']>[2];

/** Of one revision, or of all of them as one. */
type Log = {
  page(query: PageQuery): Promise<Page>;
  follow(query: Query, options: FollowOptions): AsyncIterable<LogEntry>;
};

async function logOf(shell: Shell, deployment: Deployment, revision: string | undefined): Promise<Log> {
  const { client, world } = shell;
  const { signal } = world;
  if (revision === undefined) {
    const params = { deployment_id: deployment.id };
    return {
      page: (query) => client.ask(OF_ALL, { params, query }, { signal }),
      follow: (query, options) => client.follow(OF_ALL, { params, query }, { signal, ...options }),
    };
  }
  const { id } = await revisionOf(shell, deployment, revision);
  const params = { deployment_id: deployment.id, revision_id: id };
  return {
    page: (query) => client.ask(OF_REVISION, { params, query }, { signal }),
    follow: (query, options) => client.follow(OF_REVISION, { params, query }, { signal, ...options }),
  };
}

/** Prints them, and gives the id of the last one. */
async function lastLines(shell: Shell, log: Log, query: Query, limit: number): Promise<string | undefined> {
  const { logs: found } = await log.page({ ...query, order: 'desc', limit });
  for (const entry of found.toReversed()) print(shell, entry);
  return found[0]?.id;
}

async function allLines(shell: Shell, log: Log, query: Query): Promise<string | undefined> {
  let last: string | undefined;
  for (let offset: string | undefined; ; ) {
    const page = await log.page({ ...query, order: 'asc', limit: LINES_MAX, offset });
    for (const entry of page.logs) print(shell, entry);
    last = page.logs.at(-1)?.id ?? last;
    // A page of long lines is short before the end too.
    if (page.logs.length === 0 || page.next_offset === null) return last;
    offset = page.next_offset;
  }
}

function print({ output, world }: Pick<Shell, 'output' | 'world'>, entry: LogEntry): void {
  const time = new Date(entry.timestamp).toISOString();
  const shown = world.stdout.isTerminal ? time.slice(11, 19) : time;
  output.logLine(entry, `${shown} ${entry.message}`, styles[entry.level]);
}

function countOf(lines: string | undefined): number {
  if (lines === undefined) return LINES;
  const count = Number(lines);
  if (Number.isInteger(count) && count >= 1 && count <= LINES_MAX) return count;
  throw new UsageError(`--lines is a number from 1 to ${LINES_MAX}, not '${lines}'.`);
}
