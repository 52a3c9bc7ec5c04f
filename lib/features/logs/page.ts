import { offsetBehind } from '../../adapters/log-place.ts';
import type { LogEntry, LogQuery, LogStream } from '../../adapters/logs.ts';
import type { Deps } from '../../core/deps.ts';
import type { LogPage } from './shape.ts';

type Filters = {
  order: 'asc' | 'desc';
  limit: number;
  offset?: string | undefined;
  level?: LogQuery['level'] | undefined;
  query?: string | undefined;
  start_time?: number | undefined;
  end_time?: number | undefined;
};

/** A function answers at most 6 MB. The rest is room for headers. */
const PAGE_BYTES_MAX = 5_000_000;

/**
 * One page of log lines in the wire's words. It ends before `limit` where it would be larger than a function
 * may answer, and `next_offset` continues there. `afterId`: the last line that a follower has seen.
 */
export async function readLogPage(
  deps: Pick<Deps, 'logs'>,
  stream: LogStream,
  filters: Filters,
  afterId?: string,
): Promise<LogPage> {
  const { entries, nextOffset } = await deps.logs.query(stream, {
    order: filters.order,
    limit: filters.limit,
    ...(filters.offset !== undefined && { offset: filters.offset }),
    ...(filters.level !== undefined && { level: filters.level }),
    ...(filters.query !== undefined && { query: filters.query }),
    ...(filters.start_time !== undefined && { startTime: filters.start_time }),
    ...(filters.end_time !== undefined && { endTime: filters.end_time }),
    ...(afterId !== undefined && { afterId }),
  });
  const page = fitting(entries);
  const last = page.at(-1);
  if (last === undefined || page.length === entries.length)
    return { logs: entries, next_offset: nextOffset ?? null };
  return { logs: page, next_offset: offsetBehind(filters.order, last.id) };
}

/** The first entries that a response has room for; one at least. */
function fitting(entries: LogEntry[]): LogEntry[] {
  let bytes = 0;
  const isTooMuch = (entry: LogEntry): boolean => {
    // The body is JSON, and a text in the JSON that a function gives to its gateway.
    bytes += Buffer.byteLength(JSON.stringify(JSON.stringify(entry)));
    return bytes > PAGE_BYTES_MAX;
  };
  const end = entries.findIndex(isTooMuch);
  return end === -1 ? entries : entries.slice(0, Math.max(end, 1));
}
