import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { getDeploymentItem } from '../../core/items/deployments.ts';
import { findRevision, getRevisionItem } from '../../core/items/revisions.ts';
import { readLogPage } from './page.ts';
import type {
  queryBuildLogs as buildRow,
  queryDeployLogs as deployRow,
  queryProjectDeployLogs as projectRow,
} from './routes.ts';
import type { LogPage } from './shape.ts';

type LogDeps = Pick<Deps, 'table' | 'logs'>;
type Ids = { deployment_id: string; revision_id: string };

/** The stream of a revision's log; throws `deployment_not_found` or `revision_not_found`. */
export async function logStreamOf(
  deps: Pick<Deps, 'table'>,
  { type, ...ids }: Ids & { type: 'build' | 'deploy' },
  caller: Caller,
) {
  const ref = { tenantId: caller.tenantId, deploymentId: ids.deployment_id, revisionId: ids.revision_id };
  if ((await findRevision(deps.table, ref)) === undefined) {
    await getDeploymentItem(deps.table, ref.tenantId, ref.deploymentId);
    await getRevisionItem(deps.table, ref);
  }
  return { ...ref, type };
}

/** A page of a revision's build log; throws as `logStreamOf` does. */
export async function queryBuildLogs(
  deps: LogDeps,
  { params, body }: Pick<RouteInput<typeof buildRow>, 'params' | 'body'>,
  caller: Caller,
): Promise<LogPage> {
  return readLogPage(deps, await logStreamOf(deps, { ...params, type: 'build' }, caller), body);
}

/** A page of a revision's deploy and server log; throws as `logStreamOf` does. */
export async function queryDeployLogs(
  deps: LogDeps,
  { params, body }: Pick<RouteInput<typeof deployRow>, 'params' | 'body'>,
  caller: Caller,
): Promise<LogPage> {
  return readLogPage(deps, await logStreamOf(deps, { ...params, type: 'deploy' }, caller), body);
}

/** A page of the deploy logs of all revisions of a deployment; throws `deployment_not_found`. */
export async function queryProjectDeployLogs(
  deps: LogDeps,
  { params, body }: Pick<RouteInput<typeof projectRow>, 'params' | 'body'>,
  caller: Caller,
): Promise<LogPage> {
  const { id } = await getDeploymentItem(deps.table, caller.tenantId, params.deployment_id);
  return readLogPage(deps, { tenantId: caller.tenantId, deploymentId: id, type: 'deploy' }, body);
}
