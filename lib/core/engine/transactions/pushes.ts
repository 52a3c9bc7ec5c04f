import { equals, guard, update } from '../../../store/dynamodb/expressions.ts';
import type { Write } from '../../../store/dynamodb/transact.ts';
import { deploymentKeyOf } from '../../../store/keys/index.ts';
import { waitingIn, waitingRow } from '../../items/deployment-rows.ts';
import type { Deployment, Revision } from '../../items/items.ts';
import { endedDue, inFlightDue } from '../../items/looks.ts';
import { noteEnds, noteMade } from '../../items/revision-ends.ts';
import { move } from '../../items/revision-moves.ts';
import { putRevision, refOf } from '../../items/revisions.ts';

export type PushedRevision = {
  /** As it was read. */
  deployment: Deployment;
  /** The new one, next in number. */
  revision: Revision;
  /** The earlier push that waits, whose place the new one takes. */
  replaced: Revision | undefined;
  /** Epoch milliseconds. */
  now: number;
};

/**
 * Queues the revision of a push, which runs the deployment's configuration as it is. The push before it that
 * only waits ends as SKIPPED, so that at most one waits. Demands that the deployment's queue, number and
 * configuration are as read: no request was quicker, and no step has begun with what is replaced.
 */
export function queuePushed({ deployment, revision, replaced, now }: PushedRevision): Write[] {
  const { tenant_id: tenantId, id: deploymentId, queued } = deployment;
  const rest = queued.filter((number) => number !== replaced?.number);
  const waiting = waitingIn({ ...deployment, queued: [...rest, revision.number] });
  return [
    update(
      'deployment',
      deploymentKeyOf(deployment),
      {
        set: {
          v: deployment.v,
          updated_at: new Date(now).toISOString(),
          latest_number: revision.number,
          latest_revision_id: revision.id,
          revision_config: revision.revision_config,
          pushed: revision.number,
          queued: [...rest, revision.number],
          ...inFlightDue({ tenantId, deploymentId }, now),
        },
      },
      guard('queue: as read', equals('queued', queued)),
      guard('request: version as read', equals('config_version', deployment.config_version)),
      guard('request: number as read', equals('latest_number', deployment.latest_number)),
      guard('deletion: as read', equals('status', deployment.status)),
    ),
    putRevision(revision),
    ...noteMade(revision),
    ...(waiting === 0 ? [] : [waitingRow(deployment, waiting)]),
    ...(replaced === undefined ? [] : skipped(replaced, revision, now)),
  ];
}

function skipped(replaced: Revision, by: Revision, now: number): Write[] {
  const message = `Skipped: revision ${by.id} was pushed before this one was processed.`;
  const set = { status_message: message, ...endedDue(refOf(replaced), now) };
  return [move(replaced, 'SKIPPED', now, { set }), ...noteEnds([replaced], 'SKIPPED')];
}
