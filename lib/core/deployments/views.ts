import { withoutSequences } from '../../contract/terminal-text.ts';
import { withBidiShown } from '../../shown-text.ts';
import type { Deps } from '../deps.ts';
import { deploymentRefOf } from '../items/deployments.ts';
import type { Deployment, Revision } from '../items/items.ts';
import type { RevisionConfig } from '../items/parts.ts';
import { findRevisionByNumber } from '../items/revisions.ts';

/**
 * A revision as responses show it, with what its deployment says of it: its place in the queue, who holds the
 * slot, what serves.
 */
export function revisionViewOf(
  revision: Revision,
  deployment: Deployment,
  slotRevision: Revision | undefined,
) {
  const queued = revision.status === 'QUEUED';
  return {
    id: revision.id,
    deployment_id: revision.deployment_id,
    number: revision.number,
    created_at: revision.created_at,
    updated_at: revision.updated_at,
    source: revision.source,
    source_revision_config: revisionConfigViewOf(revision.revision_config),
    status: revision.status,
    status_message:
      printable(revision.status_message) ??
      (queued ? queuedMessage(revision, deployment, slotRevision) : null),
    status_history: revision.history,
    remote_reconciled: isReconciled(revision, deployment),
    queue_position: queued ? queuePlace(deployment, revision) : null,
    interrupt_requested_at: revision.interrupt_requested_at ?? null,
    configuration: null,
    commit: revision.commit ?? null,
    cause: causeViewOf(revision.cause),
    created_by: makerViewOf(revision),
    runtime_resolved: revision.runtime ?? null,
  };
}

/** Commits are made by their authors, whoever has made the deployment that builds them. */
function makerViewOf({ cause, commit, created_by: id, made_by: by }: Revision) {
  return cause?.kind === 'push' || cause?.kind === 'head'
    ? { kind: 'git' as const, id, name: commit?.author ?? null }
    : { kind: by?.kind ?? ('key' as const), id, name: by?.name ?? null };
}

function causeViewOf(cause: Revision['cause']) {
  return {
    kind: cause?.kind ?? ('request' as const),
    delivery_id: cause?.kind === 'push' ? cause.delivery_id : null,
    revision_id: cause?.kind === 'redeploy' ? cause.revision_id : null,
    reason: cause?.reason ?? null,
  };
}

/** It may quote what a tool has printed for a terminal. */
const printable = (text: string | undefined): string | undefined =>
  text && withBidiShown(withoutSequences(text));

export const isReconciled = (revision: Revision, { active }: Deployment): boolean =>
  active?.revision_id === revision.id && active.reconciled;

/** 1 is next; null within the moment before it has joined the queue, and after it has left it. */
function queuePlace({ queued }: Deployment, { number }: Revision): number | null {
  const index = queued.indexOf(number);
  return index < 0 ? null : index + 1;
}

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
  return findRevisionByNumber(deps.table, deploymentRefOf(deployment), slot.number);
}

/** These fields as responses show them: null where there is nothing. */
export const fieldsOrNull = <F extends string, T extends { [K in F]?: unknown }>(
  of: T,
  fields: readonly F[],
) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fromEntries forgets which key has which type
  Object.fromEntries(fields.map((field) => [field, of[field] ?? null])) as {
    [K in F]: Exclude<T[K], undefined> | null;
  };

/** What a revision is made of, as responses show it. */
export function revisionConfigViewOf(config: RevisionConfig) {
  return {
    repo_ref: config.repo_ref ?? null,
    graph_config_path: config.graph_config_path ?? null,
    langgraph_config_path: config.graph_config_path ?? null,
    image_uri: config.image_uri ?? null,
    source_tarball_path: config.source_tarball_path ?? null,
    repo_commit_sha: config.repo_commit_sha ?? null,
  };
}
