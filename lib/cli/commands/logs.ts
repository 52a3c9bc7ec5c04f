import type { Deployment, LogEntry, Revision } from '../../client/endpoints.ts';
import { logLevels } from '../../contract/log-level.ts';
import { command } from '../shell/command.ts';
import { UsageError } from '../shell/ends.ts';
import { deploymentOf, revisionOf } from '../shell/names.ts';
import type { Style } from '../shell/output.ts';
import type { Shell } from '../shell/shell.ts';
import { timeOf } from '../shell/times.ts';

const LOGS = 'GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs';
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
    follow: { short: 'f', says: 'go on as lines come, until Ctrl-C or the end of the revision' },
    build: { says: "the build's log (default: the server's)" },
    revision: { value: 'REVISION', says: 'of this revision (default: the one that serves, else the newest)' },
    since: { value: 'TIME', says: 'from then on: 90s, 15m, 2h, 1d, or a time as 2026-11-26T10:00:00Z' },
    lines: { short: 'n', value: 'N', says: `the last N lines (default: ${LINES}; with --since: all)` },
    level: { value: 'LEVEL', says: 'this level and above', among: logLevels },
    grep: { value: 'TEXT', says: 'only lines that contain it' },
  },
  async run(shell, given, [name]) {
    const { since, level, grep, follow } = given;
    const begin = since === undefined ? undefined : timeOf('since', since, shell.world.now(), -1);
    const count = countOf(given.lines);
    const deployment = await deploymentOf(shell, name);
    const revision = await chosen(shell, deployment, given);
    const query = {
      type: given.build === true ? ('build' as const) : ('deploy' as const),
      level: logLevels.find((each) => each === level),
      query: grep,
      start_time: begin,
    };
    const params = { deployment_id: deployment.id, revision_id: revision.id };
    const last =
      begin === undefined || given.lines !== undefined
        ? await lastLines(shell, params, query, count)
        : await allLines(shell, params, query);
    if (follow !== true) return;
    const { signal } = shell.world;
    const onProblem = (problem?: Error) =>
      void (problem !== undefined && shell.output.say(problem.message, 'yellow'));
    for await (const entry of shell.client.follow(
      LOGS,
      { params, query },
      { signal, after: last, onProblem },
    ))
      print(shell, entry);
  },
});

async function chosen(
  shell: Shell,
  deployment: Deployment,
  { revision, build }: { revision?: string; build?: boolean },
): Promise<Revision> {
  const serves = deployment.active_revision_id === null || build === true ? 'latest' : 'active';
  return revisionOf(shell, deployment, revision ?? serves);
}

type Query = {
  type: 'build' | 'deploy';
  level: LogEntry['level'] | undefined;
  query: string | undefined;
  start_time: Date | undefined;
};
type Params = { deployment_id: string; revision_id: string };

/** Prints them, and gives the id of the last one. */
async function lastLines(shell: Shell, params: Params, query: Query, limit: number) {
  const asked = { ...query, order: 'desc' as const, limit };
  const { logs: found } = await shell.client.ask(
    LOGS,
    { params, query: asked },
    { signal: shell.world.signal },
  );
  for (const entry of found.toReversed()) print(shell, entry);
  return found[0]?.id;
}

async function allLines(shell: Shell, params: Params, query: Query): Promise<string | undefined> {
  let last: string | undefined;
  for (let offset: string | undefined; ; ) {
    const asked = { ...query, order: 'asc' as const, limit: LINES_MAX, offset };
    const page = await shell.client.ask(LOGS, { params, query: asked }, { signal: shell.world.signal });
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
