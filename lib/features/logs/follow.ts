import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { endOfLog } from './ended.ts';
import { type FollowedPage, readOrFollow } from './followed.ts';
import { logStreamOf } from './query.ts';
import type { queryRevisionLogs as row } from './routes.ts';

/** A page of a log of a revision, or what follows in it until it ends; throws as `readOrFollow` does. */
export async function queryRevisionLogs(
  deps: Pick<Deps, 'table' | 'logs' | 'clock' | 'changes'>,
  input: Pick<RouteInput<typeof row>, 'params' | 'query' | 'headers' | 'gone'>,
  caller: Caller,
): Promise<FollowedPage> {
  const { type } = input.query;
  const stream = await logStreamOf(deps, { ...input.params, type }, caller);
  return readOrFollow(deps, stream, input, caller, () => endOfLog(deps, stream, type));
}
