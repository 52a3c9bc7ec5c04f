import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import { checkOpen } from '../../core/deployments/checks.ts';
import { maskedReason } from '../../core/deployments/reason.ts';
import { revisionViewOf } from '../../core/deployments/views.ts';
import type { Deps } from '../../core/deps.ts';
import { interruptQueued, isTooLate, requestInterrupt } from '../../core/engine/transactions/interrupts.ts';
import { getDeploymentItem } from '../../core/items/deployments.ts';
import type { Revision } from '../../core/items/items.ts';
import { getRevisionItem } from '../../core/items/revisions.ts';
import { secretVersionsOf } from '../../core/secrets.ts';
import { isTerminal } from '../../domain/transitions.ts';
import { retryRaces, transact } from '../../store/dynamodb/transact.ts';
import type { interruptRevision as row } from './routes.ts';
import type { RevisionView } from './shape.ts';

/**
 * Asks for a revision to be stopped. While it is QUEUED this ends it at once; later the request is recorded,
 * and dispatch stops what is at work. Asking twice is no error; it is too late once it has finished or its
 * listener moves traffic.
 */
export async function interruptRevision(
  deps: Pick<Deps, 'table' | 'clock' | 'idempotency' | 'keys'>,
  { params, body }: Pick<RouteInput<typeof row>, 'params'> & Partial<Pick<RouteInput<typeof row>, 'body'>>,
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
    if (revision.interrupt_requested_at !== undefined) return revisionViewOf(revision, deployment, undefined);
    checkInTime(revision);
    const now = deps.clock.now();
    const why = await maskedReason(deps, ref, [revision, secretVersionsOf(deployment)], body);
    const audit = auditMarkOf(deps, { action: 'revision.interrupt', details: why }, caller);
    const shown = revisionViewOf(interrupted(revision, now), deployment, undefined);
    const writes =
      revision.status === 'QUEUED'
        ? interruptQueued(deployment, revision, { message: endedInQueue(now), audit, now })
        : [requestInterrupt(revision, now, audit)];
    await transact(deps.table, [...writes, ...deps.idempotency.record(shown)]);
    return shown;
  });
}

/** What the writes make of it. */
function interrupted(revision: Revision, now: number): Revision {
  const at = new Date(now).toISOString();
  const asked = { ...revision, interrupt_requested_at: at, updated_at: at };
  if (revision.status !== 'QUEUED') return asked;
  const status = 'INTERRUPTED';
  const history = [...revision.history, { status, at } as const];
  return { ...asked, status, history, status_message: endedInQueue(now) };
}

const endedInQueue = (now: number): string =>
  `Interrupted on request at ${new Date(now).toISOString()} while queued.`;

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
