import type { ExpiredThreads, ThreadCounts } from '../../../contract/deployments/threads.ts';
import type { ListenerRef, RevisionRef } from '../../../contract/refs.ts';
import { check, equals, guard } from '../../../store/dynamodb/expressions.ts';
import type { Write } from '../../../store/dynamodb/transact.ts';
import { deploymentKeyOf } from '../../../store/keys/index.ts';
import type { AuditMark } from '../../items/audit-events.ts';
import { deploymentRefOf } from '../../items/deployments.ts';
import type { Deployment } from '../../items/items.ts';
import { countReport, replaceReleases } from '../../items/placements.ts';
import {
  type DeploymentThreads,
  keepThreads,
  type ThreadsNews,
  tellExpired,
  tellReleased,
} from '../../items/threads.ts';

/** Whatever lies beside a deployment goes with it: nothing is put there once it is being deleted. */
const notDeleted = (deployment: Deployment): Write =>
  check(
    'deployment',
    deploymentKeyOf(deployment),
    guard('threads: their deployment as read', equals('status', deployment.status)),
  );

const listenerOf = ({ tenant_id: tenantId, listener_id: listenerId }: Deployment): ListenerRef => ({
  tenantId,
  listenerId,
});

/** A report has other counts than before. `releasing`: the revisions that threads still wait in to be let go. */
export function recordThreads(
  deployment: Deployment,
  before: DeploymentThreads | undefined,
  { counts, releasing, now }: { counts: ThreadCounts[]; releasing: string[]; now: number },
): Write[] {
  const isSame = releasing.length === (before?.releasing?.length ?? 0);
  const known = { reported_at: new Date(now).toISOString(), revisions: counts, releasing };
  return [
    notDeleted(deployment),
    keepThreads(deploymentRefOf(deployment), before, known),
    ...(isSame
      ? [countReport(deployment)]
      : replaceReleases(listenerOf(deployment), deployment.id, releasing)),
  ];
}

/** A report says that threads were ended. */
export const recordExpired = (
  deployment: Deployment,
  before: ThreadsNews | undefined,
  expired: readonly ExpiredThreads[],
): Write[] => [
  notDeleted(deployment),
  tellExpired(deploymentRefOf(deployment), before, expired),
  countReport(deployment),
];

/** A person lets the threads go that wait in a revision: its listener reads it with what it should run. */
export function requestRelease(
  deployment: Deployment,
  { revisionId }: RevisionRef,
  before: DeploymentThreads | undefined,
  { userId, threads, audit, now }: { userId: string; threads: number | null; audit: AuditMark; now: number },
): Write[] {
  const ref = deploymentRefOf(deployment);
  const releasing = [...(before?.releasing ?? []), revisionId];
  const released = {
    revision_id: revisionId,
    user_id: userId,
    at: new Date(now).toISOString(),
    ...(threads !== null && { threads }),
  };
  return [
    notDeleted(deployment),
    keepThreads(ref, before, { ...before, releasing }),
    tellReleased(ref, released, audit),
    ...replaceReleases(listenerOf(deployment), deployment.id, releasing),
  ];
}
