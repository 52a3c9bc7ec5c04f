import type { LogQuery, LogStream } from '../../adapters/logs.ts';
import type { LogPage } from '../../contract/logs.ts';
import type { Deps } from '../deps.ts';

type Filters = {
  order: 'asc' | 'desc';
  limit: number;
  offset?: string | undefined;
  level?: LogQuery['level'] | undefined;
  query?: string | undefined;
  start_time?: number | undefined;
  end_time?: number | undefined;
};

/** One page of log lines in the wire's words. `afterId`: the last one a follower has seen. */
export async function logPage(
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
  return { logs: entries, next_offset: nextOffset ?? null };
}
