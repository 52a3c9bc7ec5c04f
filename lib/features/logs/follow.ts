import { ValidationError, type ValidationItem } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { following, followUntil } from '../../core/followers.ts';
import { readLogPage } from './page.ts';
import { logStreamOf } from './query.ts';
import type { queryRevisionLogs as row } from './routes.ts';
import type { LogPage } from './shape.ts';

type LogDeps = Pick<Deps, 'table' | 'logs' | 'clock'>;

/** The store of logs reports problems of a body; here they are problems of the query. */
function inQuery(error: unknown): unknown {
  if (!(error instanceof ValidationError)) return error;
  const placed = ({ loc: [part, ...place], ...item }: ValidationItem): ValidationItem => ({
    ...item,
    loc: part === 'body' ? ['query', ...place] : [part ?? '', ...place],
  });
  return new ValidationError(error.items.map(placed));
}

/**
 * With `Accept: text/event-stream` it follows: the answer comes as soon as there are lines, at the latest
 * after 10 s. Throws `too_many_followers` when as many are followed in the tenant as may be.
 */
export async function queryRevisionLogs(
  deps: LogDeps,
  { params, query, headers, gone }: Pick<RouteInput<typeof row>, 'params' | 'query' | 'headers' | 'gone'>,
  caller: Caller,
): Promise<LogPage> {
  const stream = await logStreamOf(deps, { ...params, type: query.type }, caller);
  const read = (lastEventId?: string) =>
    readLogPage(deps, stream, query, lastEventId).catch((error: unknown) => {
      throw inQuery(error);
    });
  if (headers.accept?.includes('text/event-stream') !== true) return read();
  const follower = { caller, of: [stream.deploymentId, stream.revisionId, query.type] };
  return following(deps, follower, () =>
    followUntil(
      deps,
      gone,
      () => read(headers.lastEventId),
      ({ logs }) => logs.length > 0,
    ),
  );
}
