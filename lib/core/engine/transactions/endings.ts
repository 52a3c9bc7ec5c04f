import { withReported } from '../../../domain/agent-address.ts';
import type { Ending } from '../../../domain/ending.ts';
import { equals, guard, remove, same, update } from '../../../store/dynamodb/expressions.ts';
import type { Write } from '../../../store/dynamodb/transact.ts';
import { deploymentKeyOf, tokenKey } from '../../../store/keys/index.ts';
import { activeRow } from '../../items/deployment-rows.ts';
import { slotAsRead } from '../../items/deployments.ts';
import { noteHealth } from '../../items/health.ts';
import type { Deployment, OpenTask, Revision } from '../../items/items.ts';
import { DUE, dueAt, endedDue, inFlightDue } from '../../items/looks.ts';
import { isManaged } from '../../items/managed.ts';
import type { KeptArtifacts } from '../../items/parts.ts';
import { addressStays, place } from '../../items/placements.ts';
import { noteEnds } from '../../items/revision-ends.ts';
import { move, sameOutcome } from '../../items/revision-moves.ts';
import { hasBuild, refOf } from '../../items/revisions.ts';
import { cancelTaskWrite, endTask } from '../../items/tasks.ts';
import { epochAsRead } from './tasks.ts';

export type EndFacts = {
  deployment: Deployment;
  revision: Revision;
  ending: Ending;
  /** The deployment's open task, of whichever revision. */
  task: OpenTask | undefined;
  /** A token is stored for the revision. */
  hasToken: boolean;
  /** What is left of the deployment's artifacts; undefined: as before. */
  artifacts: KeptArtifacts | undefined;
  /** Epoch milliseconds. */
  now: number;
};

/**
 * Ends a revision that was taken from the queue, and frees the slot: the only way in which such a revision
 * ends. With it go its open task, what its listener should run and the deployment's row in the list. Demands
 * that the revision, the deployment and its task are as read.
 */
export function endRevisionWrites(facts: EndFacts): Write[] {
  const { deployment, revision, ending, hasToken } = facts;
  const row = listedActive(facts);
  return [
    endOfRevision(facts),
    ...noteEnds([revision], ending.status),
    endInDeployment(facts),
    ...endOfTask(facts),
    ...placementAfter(facts),
    ...(row === undefined
      ? []
      : [activeRow(deployment, row), ...noteHealth(deployment, deployment.active, row, facts.now)]),
    ...(hasToken
      ? [remove('token', tokenKey(revision.tenant_id, revision.deployment_id, revision.number))]
      : []),
  ];
}

function endOfRevision({ revision, ending, now }: EndFacts): Write {
  const ref = refOf(revision);
  const due = hasBuild(revision) ? inFlightDue(ref, now) : endedDue(ref, now);
  return move(
    revision,
    ending.status,
    now,
    {
      set: { status_message: ending.message, ...due },
      remove: ['build_due_at', 'restart', 'at_capacity', 'build_phase'],
    },
    guard('interrupt: as read', same('interrupt_requested_at', revision.interrupt_requested_at)),
    sameOutcome(revision),
  );
}

/** The task that is still open for the revision; one that was cancelled ends by itself. */
function ownTask({ task, revision }: EndFacts): Exclude<OpenTask, { state: 'cancelled' }> | undefined {
  if (task?.kind !== 'DEPLOY' || task.revision_id !== revision.id) return undefined;
  return task.state === 'cancelled' ? undefined : task;
}

const epochAfter = (facts: EndFacts): number => facts.deployment.epoch + (ownTask(facts) ? 1 : 0);

/** Nobody has claimed it: it is gone with the revision. */
const isWithdrawn = (facts: EndFacts): boolean => ownTask(facts)?.state === 'offered';

const taskStays = (facts: EndFacts): boolean => facts.task !== undefined && !isWithdrawn(facts);

function endOfTask(facts: EndFacts): Write[] {
  const own = ownTask(facts);
  if (own === undefined) return [];
  return own.state === 'claimed' ? [cancelTaskWrite(own)] : endTask(own, 'withdrawn', false, facts.now);
}

function endInDeployment(facts: EndFacts): Write {
  const { deployment, revision, ending, artifacts, now } = facts;
  const { slot } = deployment;
  const holdsSlot = slot?.kind === 'revision' && slot.revision_id === revision.id;
  const moreToDo = deployment.queued.length > 0 || taskStays(facts) || !isListed(deployment);
  const commit = revision.revision_config.repo_commit_sha;
  const newest = deployment.latest_number === revision.number && commit !== undefined;
  const active = activeAfter(facts);
  return update(
    'deployment',
    deploymentKeyOf(deployment),
    {
      set: {
        // An earlier release may have stored it in the version before.
        v: deployment.v,
        updated_at: new Date(now).toISOString(),
        epoch: epochAfter(facts),
        artifacts,
        ...(newest && { 'revision_config.repo_commit_sha': commit }),
        ...lookAfter(facts, moreToDo),
        ...(active !== undefined && { active }),
        ...reportedAfter(deployment, active),
        ...(ending.status === 'DEPLOYED' && isListed(deployment) && { status: 'READY' }),
      },
      remove: [
        ...(holdsSlot ? ['slot'] : []),
        ...(isLookedAfter(facts, moreToDo) ? [] : DUE),
        ...(isWithdrawn(facts) ? ['task_id'] : []),
      ],
    },
    epochAsRead(deployment),
    guard('deletion: as read', equals('status', deployment.status)),
    guard('queue: as read', equals('queued', deployment.queued)),
    guard('task: as read', same('task_id', deployment.task_id)),
    slotAsRead(deployment),
    addressStays(deployment),
  );
}

/** What the installation runs itself is looked after at once: what the revision has left there has to go. */
const isDriven = ({ deployment }: EndFacts): boolean => isManaged(deployment) && deployment.epoch > 0;

const isLookedAfter = (facts: EndFacts, moreToDo: boolean): boolean => moreToDo || isDriven(facts);

function lookAfter(facts: EndFacts, moreToDo: boolean): ReturnType<typeof dueAt> | object {
  const ref = refOf(facts.revision);
  if (isDriven(facts)) return dueAt(ref, facts.now);
  return moreToDo ? inFlightDue(ref, facts.now) : {};
}

/** What is being deleted stays so, and its row has left the list. */
const isListed = ({ status }: Deployment): boolean => status !== 'AWAITING_DELETE';

const listedActive = (facts: EndFacts): Deployment['active'] =>
  isListed(facts.deployment) ? activeAfter(facts) : undefined;

/** An earlier release may have stored the deployment in the version before. */
function reportedAfter(deployment: Deployment, active: Deployment['active']): object {
  const reported = withReported(deployment, active?.url);
  return reported === undefined ? {} : { v: deployment.v, reported_urls: reported };
}

/** What serves from now on; undefined: as before. */
const activeAfter = ({ deployment, revision, ending }: EndFacts): Deployment['active'] =>
  ending.status === 'DEPLOYED' ? activated(deployment, revision) : failedActive(deployment, revision);

function activated(deployment: Deployment, revision: Revision): NonNullable<Deployment['active']> {
  const { outcome: said } = revision;
  const outcome = said?.stage === 'deploy' && said.result === 'succeeded' ? said : undefined;
  return {
    revision_id: revision.id,
    number: revision.number,
    configuration: revision.configuration,
    ...(revision.secrets !== undefined && { secrets: revision.secrets }),
    ...(outcome?.url !== undefined && { url: outcome.url }),
    ...(outcome?.image_version !== undefined && { image_version: outcome.image_version }),
    healthy: true,
    epoch: outcome?.epoch ?? deployment.epoch,
    reconciled: true,
  };
}

/**
 * A failed revision never replaces the active one; but when the listener could not restore that, it no longer
 * serves.
 */
function failedActive(deployment: Deployment, revision: Revision): Deployment['active'] {
  const { outcome } = revision;
  const isLost =
    outcome?.stage === 'deploy' && outcome.result === 'failed' && outcome.previous_serving === false;
  if (!isLost || deployment.active === undefined) return undefined;
  const reason = `The deploy of revision ${revision.id} failed and this one could not be restored.`;
  return { ...deployment.active, healthy: false, reason };
}

/** What the listener should run, once a task was offered to it. */
function placementAfter(facts: EndFacts): Write[] {
  const { deployment, revision, ending } = facts;
  if (revision.task_id === undefined) return [];
  const serving = ending.status === 'DEPLOYED' ? revision.id : deployment.active?.revision_id;
  return place(deployment, serving, epochAfter(facts), taskStays(facts));
}
