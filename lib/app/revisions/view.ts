import type { RevisionView } from '../../contract/deployments/views.ts';
import { withoutSequences } from '../../contract/terminal-text.ts';
import type { Deps } from '../../core/deps.ts';
import type { Deployment, Revision } from '../../core/items/items.ts';
import { findRevisionByNumber } from '../../core/items/revisions.ts';
import { withBidiShown } from '../../shown-text.ts';
import { revisionConfigView } from '../deployments/view.ts';

/**
 * A revision as responses show it, with what its deployment says of it: its place in the queue, who holds the
 * slot, what serves.
 */
export function toRevisionView(
  revision: Revision,
  deployment: Deployment,
  slotRevision: Revision | undefined,
): RevisionView {
  const queued = revision.status === 'QUEUED';
  return {
    id: revision.id,
    deployment_id: revision.deployment_id,
    created_at: revision.created_at,
    updated_at: revision.updated_at,
    source: revision.source,
    source_revision_config: revisionConfigView(revision.revision_config),
    status: revision.status,
    status_message:
      plain(revision.status_message) ?? (queued ? queuedMessage(revision, deployment, slotRevision) : null),
    status_history: revision.history,
    remote_reconciled: isReconciled(revision, deployment),
    queue_position: queued ? deployment.queued.indexOf(revision.number) + 1 : null,
    interrupt_requested_at: revision.interrupt_requested_at ?? null,
    configuration: null,
    commit: revision.commit ?? null,
    cause: causeView(revision.cause),
  };
}

function causeView(cause: Revision['cause']): RevisionView['cause'] {
  const { kind = 'request' } = cause ?? {};
  return {
    kind,
    delivery_id: cause?.kind === 'push' ? cause.delivery_id : null,
    revision_id: cause?.kind === 'redeploy' ? cause.revision_id : null,
    reason: cause?.reason ?? null,
  };
}

/** It may quote what a tool has printed for a terminal. */
const plain = (text: string | undefined): string | undefined => text && withBidiShown(withoutSequences(text));

export const isReconciled = (revision: Revision, { active }: Deployment): boolean =>
  active?.revision_id === revision.id && active.reconciled;

function queuedMessage(revision: Revision, { slot }: Deployment, slotRevision: Revision | undefined): string {
  const next = 'Next in line; about to be processed.';
  if (slot === undefined) return next;
  if (slot.kind === 'delete')
    return `Waits for the deletion of its deployment, under way since ${slot.since}.`;
  if (slot.revision_id === revision.id) return next;
  const status = slotRevision?.status ?? 'in progress';
  return `Waits for revision ${slot.revision_id}, which is ${status}, in progress since ${slot.since}.`;
}

/** Reads the revision in the slot only when a queued revision is to be shown. */
export async function slotRevisionFor(
  deps: Pick<Deps, 'table'>,
  deployment: Deployment,
  revisions: Revision[],
): Promise<Revision | undefined> {
  const { slot } = deployment;
  if (slot?.kind !== 'revision' || !revisions.some((revision) => revision.status === 'QUEUED'))
    return undefined;
  return findRevisionByNumber(
    deps.table,
    { tenantId: deployment.tenant_id, deploymentId: deployment.id },
    slot.number,
  );
}
