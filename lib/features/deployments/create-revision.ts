import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import { revisionViewOf, slotRevisionFor } from '../../core/deployments/views.ts';
import type { createRevision as row } from '../revisions/routes.ts';
import type { RevisionView } from '../revisions/shape.ts';
import { type ChangeDeps, change } from './change.ts';

/** As PATCH, but always makes a revision, and answers with it. */
export async function createRevision(
  deps: ChangeDeps,
  { params, body, headers }: Pick<RouteInput<typeof row>, 'params' | 'body' | 'headers'>,
  caller: Caller,
): Promise<RevisionView> {
  const request = { deploymentId: params.deployment_id, body, ifMatch: headers.ifMatch, always: true };
  return change(deps, request, caller, async (deployment, revision) => {
    if (revision === undefined) throw new Error('a revision was asked for and none was made');
    return revisionViewOf(revision, deployment, await slotRevisionFor(deps, deployment, [revision]));
  });
}
