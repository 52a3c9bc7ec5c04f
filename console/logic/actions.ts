import type { Deployment, Revision } from '../../lib/client/endpoints.ts';
import { numberOf } from '../../lib/client/revision.ts';
import { isMoving } from './status.ts';

/** What running a revision again is, seen from what serves now. */
export type Verb = 'Restart' | 'Roll back' | 'Redeploy';

type Shown = Pick<Revision, 'id' | 'status' | 'interrupt_requested_at'>;

/** What can be done to a revision; `active`: the one that serves. */
export function actionsOn(
  { id, status, interrupt_requested_at: stopping }: Shown,
  deployment: Pick<Deployment, 'status' | 'active_revision_id'>,
  active: Pick<Revision, 'id'> | undefined,
): { canStop: boolean; again: Verb | undefined } {
  if (deployment.status === 'AWAITING_DELETE') return { canStop: false, again: undefined };
  const canRun = !isMoving(status) && status !== 'SKIPPED' && status !== 'CREATE_FAILED';
  // To an earlier state: what serves now is newer.
  const isBack = active !== undefined && numberOf(id) < numberOf(active.id);
  const verb = id === deployment.active_revision_id ? 'Restart' : isBack ? 'Roll back' : 'Redeploy';
  return { canStop: isMoving(status) && stopping === null, again: canRun ? verb : undefined };
}
