import { refuse } from '../../contract/errors.ts';
import type { interruptRevision as row } from '../../contract/routes/revisions.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { RevisionView } from '../../contract/views.ts';
import { isTerminal } from '../../domain/transitions.ts';
import type { AuditMark } from '../../store/audit-items.ts';
import { getDeploymentItem } from '../../store/deployments.ts';
import { equals, guard, update } from '../../store/expressions.ts';
import type { Deployment, Revision } from '../../store/items.ts';
import { deploymentKey, revisionKeyOf } from '../../store/keys.ts';
import { retryRaces, transact, type Write } from '../../store/operations.ts';
import { noteEnds } from '../../store/revision-ends.ts';
import { endedDue, getRevisionItem, move, refOf } from '../../store/revisions.ts';
import { auditOf } from '../audit.ts';
import type { Caller } from '../caller.ts';
import { checkOpen } from '../deployments/checks.ts';
import { queueDue } from '../deployments/writes.ts';
import type { Deps } from '../deps.ts';
import { interruptRequest, isTooLate } from './interrupt-request.ts';
import { revisionView } from './view.ts';

/**
 * Asks for a revision to be stopped. While it is QUEUED this ends it at once; later the request is recorded, and dispatch stops
 * what is at work. Asking twice is no error; it is too late once it has finished or its listener moves traffic.
 */
export async function interruptRevision(
  deps: Pick<Deps, 'table' | 'clock' | 'idempotency'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<RevisionView> {
  const ref = {
    tenantId: caller.tenantId,
    deploymentId: params.deployment_id,
    revisionId: params.revision_id,
  };
  return retryRaces(deps.table, async () => {
    const deployment = await getDeploymentItem(deps.table, ref.tenantId, ref.deploymentId);
    const revision = await getRevisionItem(deps.table, ref);
    checkOpen(deployment);
    if (revision.interrupt_requested_at !== undefined) return revisionView(revision, deployment, undefined);
    checkInTime(revision);
    const now = deps.clock.now();
    const audit = auditOf(deps, caller, 'revision.interrupt');
    const shown = revisionView(interrupted(revision, now), deployment, undefined);
    const writes =
      revision.status === 'QUEUED'
        ? endQueued(deployment, revision, now, audit)
        : [interruptRequest(revision, now, { audit })];
    await transact(deps.table, [...writes, ...deps.idempotency.record(shown)]);
    return shown;
  });
}

/** What the writes below make of it. */
function interrupted(revision: Revision, now: number): Revision {
  const at = new Date(now).toISOString();
  const asked = { ...revision, interrupt_requested_at: at, updated_at: at };
  if (revision.status !== 'QUEUED') return asked;
  const status = 'INTERRUPTED';
  const history = [...revision.history, { status, at } as const];
  return { ...asked, status, history, status_message: endedInQueue(at) };
}

const endedInQueue = (at: string): string => `Interrupted on request at ${at}, while it was queued.`;

function checkInTime(revision: Revision): void {
  if (isTerminal(revision.status)) {
    throw refuse('state_forbids', {
      reason: `Revision ${revision.id} has finished already: ${revision.status}.`,
    });
  }
  if (isTooLate(revision)) {
    const reason = `Revision ${revision.id} is ${revision.status} and its listener moves traffic to it: too late to interrupt.`;
    throw refuse('state_forbids', { reason });
  }
}

/** It leaves the queue, or the slot if it has that already, in the same transaction. */
function endQueued(deployment: Deployment, revision: Revision, now: number, audit: AuditMark): Write[] {
  const at = new Date(now).toISOString();
  const place = deployment.queued.indexOf(revision.number);
  const holdsSlot = deployment.slot?.revision_id === revision.id;
  const leave = holdsSlot
    ? {
        change: { remove: ['slot'] },
        test: guard('slot: still has it', equals('slot.revision_id', revision.id)),
      }
    : {
        change: { remove: [`queued[${place}]`] },
        test: guard('queue: its place as read', equals(`queued[${place}]`, revision.number)),
      };
  return [
    move(revision, 'INTERRUPTED', now, {
      set: {
        status_message: endedInQueue(at),
        interrupt_requested_at: at,
        audit,
        ...endedDue(revisionKeyOf(refOf(revision)), now),
      },
    }),
    ...noteEnds([revision], 'INTERRUPTED'),
    update(
      'deployment',
      deploymentKey(deployment.tenant_id, deployment.id),
      { ...leave.change, set: queueDue(deployment, now) },
      leave.test,
    ),
  ];
}
