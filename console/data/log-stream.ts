import type { Ask, LogEntry } from '../../lib/client/endpoints.ts';
import { ask, client } from './api.ts';

export type LogType = 'build' | 'deploy';
export type LogFilters = { type: LogType; level: LogLevel; query: string };
/** '': of every level. */
export type LogLevel = NonNullable<Ask<typeof LOGS>['query']['level']>;
export type LogPlace = { deploymentId: string; revisionId: string };

const LOGS = 'GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs';
const PAGE_LINES = 1_000;
const paramsOf = ({ deploymentId, revisionId }: LogPlace) => ({
  deployment_id: deploymentId,
  revision_id: revisionId,
});

/** A page of lines, oldest first, and the offset of what lies beyond it in the direction of reading. */
export async function readLog(
  place: LogPlace,
  { type, level, query }: LogFilters,
  at: { order: 'asc' | 'desc'; offset?: string | undefined; from?: number | undefined; limit?: number },
  signal?: AbortSignal,
): Promise<{ lines: LogEntry[]; next: string | null }> {
  const limit = at.limit ?? PAGE_LINES;
  const start = at.from === undefined ? undefined : new Date(at.from).toISOString();
  const asked = { type, level, query, order: at.order, limit, offset: at.offset };
  const bound = at.order === 'asc' ? { start_time: start } : { end_time: start };
  const { logs, next_offset } = await ask(
    LOGS,
    { params: paramsOf(place), query: { ...asked, ...bound } },
    signal,
  );
  return { lines: at.order === 'asc' ? logs : logs.toReversed(), next: next_offset };
}

/** Each line that comes after the one with the id `after`; what keeps them from coming is waited out. */
export const followLog = (
  place: LogPlace,
  { type, level, query }: LogFilters,
  options: { after: string | undefined; signal: AbortSignal; onProblem: (problem?: Error) => void },
): AsyncGenerator<LogEntry, void> =>
  client.follow(LOGS, { params: paramsOf(place), query: { type, level, query, limit: PAGE_LINES } }, options);

/** The whole log as text, however long, a page at a time. */
export async function wholeLog(
  place: LogPlace,
  type: LogType,
  onCount: (lines: number) => void,
): Promise<Blob> {
  const parts: string[] = [];
  let offset: string | undefined;
  for (let count = 0; ; ) {
    const page = await readLog(place, { type, level: '', query: '' }, { order: 'asc', offset });
    for (const { timestamp, level, message } of page.lines)
      parts.push(`${new Date(timestamp).toISOString()} ${level} ${message}\n`);
    count += page.lines.length;
    onCount(count);
    // A page of long lines is short before the end too.
    if (page.lines.length === 0 || page.next === null) return new Blob(parts, { type: 'text/plain' });
    offset = page.next;
  }
}
