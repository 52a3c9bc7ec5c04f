import type { LogStream } from '../../adapters/logs.ts';
import { ValidationError, type ValidationItem } from '../../contract/errors.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { following, followUntil } from '../../core/followers.ts';
import { readLogPage } from './page.ts';
import type { LogEnd, LogPage, RevisionLogsQuery } from './shape.ts';

type FollowDeps = Pick<Deps, 'table' | 'logs' | 'clock' | 'changes'>;
type Asked = {
  query: RevisionLogsQuery;
  headers: { accept?: string | undefined; lastEventId?: string | undefined };
  gone?: AbortSignal | undefined;
};
/** `ended`: nothing follows any more. */
export type FollowedPage = LogPage & { ended?: LogEnd };

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
 * A page of a log. With `Accept: text/event-stream` it follows: the answer comes as soon as there are lines,
 * at the latest after 10 s; once `endOf` says how the log ended, the answer behind its last line does so too.
 * Throws `too_many_followers` when as many are followed in the tenant as may be.
 */
export async function readOrFollow(
  deps: FollowDeps,
  stream: LogStream,
  { query, headers, gone }: Asked,
  caller: Caller,
  endOf: () => Promise<LogEnd | undefined>,
): Promise<FollowedPage> {
  const read = (lastEventId?: string) =>
    readLogPage(deps, stream, query, lastEventId).catch((error: unknown) => {
      throw inQuery(error);
    });
  if (headers.accept?.includes('text/event-stream') !== true) return read();
  const follower = { caller, of: [stream.deploymentId, stream.revisionId ?? '', query.type] };
  const next = async (): Promise<FollowedPage> => {
    // First: whatever was written before the end is among the lines that are read after it.
    const ended = await endOf();
    const page = await read(headers.lastEventId);
    return ended === undefined || page.logs.length > 0 ? page : { ...page, ended };
  };
  return following(deps, follower, () =>
    followUntil(deps, gone, next, ({ logs, ended }) => logs.length > 0 || ended !== undefined),
  );
}
