import { refuse } from '../../contract/errors.ts';
import { isTerminal } from '../../domain/transitions.ts';
import type { Deletion } from '../../store/deletions.ts';
import { getDeploymentItem } from '../../store/deployments.ts';
import { equals, guard, present, put, remove, same, update } from '../../store/expressions.ts';
import type { Deployment, Revision } from '../../store/items.ts';
import { deletedRowKey, deletionKey, deploymentKey, deploymentRowKey, due } from '../../store/keys.ts';
import { retryRaces, transact, type Write } from '../../store/operations.ts';
import { findRevisionByNumber } from '../../store/revisions.ts';
import { auditOf } from '../audit.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { endedByDeletion, firstQueued, restOfQueue } from '../engine/end-queued.ts';
import { interruptRequest, isTooLate } from '../revisions/interrupt-request.ts';
import { checkMatch } from './checks.ts';
import { rowOf } from './row.ts';

type DeletionDeps = Pick<Deps, 'table' | 'clock'>;
export type DeletionRequest = { deploymentId: string; force: boolean; ifMatch: string | undefined };

/**
 * Marks a deployment to be deleted, in one transaction with the end of its queue and the interrupt of what is in progress; the engine does the rest.
 * `force`, for one that is marked already: its records go without its listener's word. Throws `deployment_not_found`, `version_mismatch`,
 * `state_forbids` (force without a mark).
 */
export async function requestDeletion(
  deps: DeletionDeps,
  request: DeletionRequest,
  caller: Caller,
): Promise<void> {
  await retryRaces(deps.table, async () => {
    const deployment = await getDeploymentItem(deps.table, caller.tenantId, request.deploymentId);
    checkMatch(deployment, request.ifMatch);
    if (deployment.status !== 'AWAITING_DELETE') {
      if (request.force) throw notMarked(deployment);
      await mark(deps, deployment, caller);
    } else if (request.force) await force(deps, deployment, caller);
  });
}

const notMarked = ({ id }: Deployment): Error =>
  refuse('state_forbids', {
    reason: `Deployment ${id} is not being deleted; 'force' is only for one that is (AWAITING_DELETE): delete it without 'force' first.`,
  });

async function mark(deps: DeletionDeps, deployment: Deployment, caller: Caller): Promise<void> {
  const now = deps.clock.now();
  const owner = { tenantId: deployment.tenant_id, deploymentId: deployment.id };
  const [slotRevision, queued] = await Promise.all([
    deployment.slot && findRevisionByNumber(deps.table, owner, deployment.slot.number),
    firstQueued(deps.table, deployment),
  ]);
  const deletion: Deletion = {
    v: 1,
    entity: 'deletion',
    tenant_id: owner.tenantId,
    deployment_id: deployment.id,
    requested_at: new Date(now).toISOString(),
  };
  await transact(deps.table, [
    markedDeployment(deployment, slotRevision, now),
    put('deletion', {
      ...deletionKey(owner.tenantId, deployment.id),
      ...deletion,
      audit: auditOf(deps, caller, 'deployment.delete'),
    }),
    remove('deployment_row', deploymentRowKey(owner.tenantId, deployment.id)),
    put('deleted_row', {
      ...deletedRowKey(owner.tenantId, deployment.id),
      ...rowOf(deployment),
      status: 'AWAITING_DELETE',
    }),
    ...stopped(slotRevision, now),
    ...endedByDeletion([...(slotRevision?.status === 'QUEUED' ? [slotRevision] : []), ...queued], now),
  ]);
}

/** A holder that no step has begun with gives the slot back at once. */
function markedDeployment(deployment: Deployment, slotRevision: Revision | undefined, now: number): Write {
  const key = deploymentKey(deployment.tenant_id, deployment.id);
  return update(
    'deployment',
    key,
    {
      set: {
        status: 'AWAITING_DELETE',
        updated_at: new Date(now).toISOString(),
        queued: restOfQueue(deployment),
        ...due(key.pk, now),
      },
      ...(slotRevision?.status === 'QUEUED' && { remove: ['slot'] }),
    },
    guard('deletion: as read', equals('status', deployment.status)),
    guard('request: version as read', equals('config_version', deployment.config_version)),
    guard('queue: as read', equals('queued', deployment.queued)),
    guard('slot: holder as read', same('slot.revision_id', deployment.slot?.revision_id)),
  );
}

/** Asks for what a step has begun with to be stopped; what cannot be any more ends by itself, and the deletion waits for that. */
function stopped(slotRevision: Revision | undefined, now: number): Write[] {
  if (slotRevision === undefined || slotRevision.status === 'QUEUED' || isTerminal(slotRevision.status))
    return [];
  const asked = slotRevision.interrupt_requested_at !== undefined;
  return asked || isTooLate(slotRevision) ? [] : [interruptRequest(slotRevision, now)];
}

async function force(
  deps: DeletionDeps,
  { tenant_id: tenantId, id }: Deployment,
  caller: Caller,
): Promise<void> {
  const key = deploymentKey(tenantId, id);
  const set = { forced: true, audit: auditOf(deps, caller, 'deployment.delete') };
  await transact(deps.table, [
    update('deletion', deletionKey(tenantId, id), { set }, guard('deletion: still there', present('pk'))),
    update(
      'deployment',
      key,
      { set: due(key.pk, deps.clock.now()) },
      guard('deletion: the same deployment', equals('id', id)),
      guard('deletion: asked for', equals('status', 'AWAITING_DELETE')),
    ),
  ]);
}
