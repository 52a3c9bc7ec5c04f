import { ApiError } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { requestDeletion } from './delete.ts';
import type { deleteDeployments as row } from './routes.ts';
import type { DeletionResultsView } from './shape.ts';

type DeleteDeps = Pick<Deps, 'table' | 'clock'>;
type Result = DeletionResultsView['results'][number];

/** A hundred are done within a few seconds, and other requests are let through. */
const AT_ONCE = 10;

/**
 * Starts the deletion of each of these deployments. Gives for each the answer that a request for it alone
 * would get.
 */
export async function deleteDeployments(
  deps: DeleteDeps,
  { query }: Pick<RouteInput<typeof row>, 'query'>,
  caller: Caller,
): Promise<DeletionResultsView> {
  const ids = [...new Set(query.deployment_ids)];
  const results: Result[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const some = ids.slice(at, at + AT_ONCE);
    results.push(...(await Promise.all(some.map((id) => resultOf(deps, id, caller)))));
  }
  return { results };
}

async function resultOf(deps: DeleteDeps, id: string, caller: Caller): Promise<Result> {
  try {
    await requestDeletion(
      deps,
      { deploymentId: id, force: false, deletesData: false, ifMatch: undefined },
      caller,
    );
    return { deployment_id: id, status: 204, detail: null };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { deployment_id: id, status: error.status, detail: error.message };
  }
}
