import { ValidationError, type ValidationItem } from '../../contract/errors.ts';
import type { LogPage } from '../../contract/logs.ts';
import type {
  queryBuildLogs as buildRow,
  queryDeployLogs as deployRow,
  queryRevisionLogs as revisionRow,
} from '../../contract/routes/logs.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { getDeploymentItem } from '../../core/items/deployments.ts';
import { findRevision, getRevisionItem } from '../../core/items/revisions.ts';
import { following, followUntil } from './followers.ts';
import { readLogPage } from './query.ts';

type LogDeps = Pick<Deps, 'table' | 'logs' | 'clock'>;
type Ids = { deployment_id: string; revision_id: string };

/** The stream of a revision's log; throws `deployment_not_found` or `revision_not_found`. */
async function streamOf(deps: LogDeps, { type, ...ids }: Ids & { type: 'build' | 'deploy' }, caller: Caller) {
  const ref = { tenantId: caller.tenantId, deploymentId: ids.deployment_id, revisionId: ids.revision_id };
  if ((await findRevision(deps.table, ref)) === undefined) {
    await getDeploymentItem(deps.table, ref.tenantId, ref.deploymentId);
    await getRevisionItem(deps.table, ref);
  }
  return { ...ref, type };
}

export async function queryBuildLogs(
  deps: LogDeps,
  { params, body }: Pick<RouteInput<typeof buildRow>, 'params' | 'body'>,
  caller: Caller,
): Promise<LogPage> {
  return readLogPage(deps, await streamOf(deps, { ...params, type: 'build' }, caller), body);
}

export async function queryDeployLogs(
  deps: LogDeps,
  { params, body }: Pick<RouteInput<typeof deployRow>, 'params' | 'body'>,
  caller: Caller,
): Promise<LogPage> {
  return readLogPage(deps, await streamOf(deps, { ...params, type: 'deploy' }, caller), body);
}

/** The store of logs looks for what it is asked in a body; here it was in the query. */
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
  {
    params,
    query,
    headers,
    gone,
  }: Pick<RouteInput<typeof revisionRow>, 'params' | 'query' | 'headers' | 'gone'>,
  caller: Caller,
): Promise<LogPage> {
  const stream = await streamOf(deps, { ...params, type: query.type }, caller);
  const look = (lastEventId?: string) =>
    readLogPage(deps, stream, query, lastEventId).catch((error: unknown) => {
      throw inQuery(error);
    });
  if (headers.accept?.includes('text/event-stream') !== true) return look();
  const follower = { caller, of: [stream.deploymentId, stream.revisionId, query.type] };
  return following(deps, follower, () =>
    followUntil(
      deps,
      gone,
      () => look(headers.lastEventId),
      ({ logs }) => logs.length > 0,
    ),
  );
}
