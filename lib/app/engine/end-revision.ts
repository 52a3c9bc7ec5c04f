import type { RevisionRef } from '../../adapters/workflow.ts';
import { type Ending, endingOf } from '../../domain/ending.ts';
import { numberOf } from '../../domain/revision-id.ts';
import { stageOf } from '../../domain/transitions.ts';
import { type Change, equals, guard, remove, same, update } from '../../store/expressions.ts';
import type { Deployment, Revision } from '../../store/items.ts';
import { deploymentKey, due, openTaskKey, revisionKeyOf, tokenKey } from '../../store/keys.ts';
import { ConditionsFailed, transact, type Write } from '../../store/operations.ts';
import { addressStays, place } from '../../store/placements.ts';
import { noteEnds } from '../../store/revision-ends.ts';
import {
  endedDue,
  findRevision,
  findToken,
  IN_FLIGHT_LOOK_MILLISECONDS,
  inFlightDue,
  move,
  refOf,
  sameOutcome,
} from '../../store/revisions.ts';
import { endTask } from '../../store/tasks.ts';
import { activeRow } from '../deployments/row.ts';
import type { Deps } from '../deps.ts';
import { type ArtifactPlan, deleteDropped, planArtifacts } from './keep-artifacts.ts';
import { type Loaded, load } from './situation.ts';

export type EndDeps = Pick<Deps, 'table' | 'clock' | 'logs' | 'blobs' | 'settings'>;

/** Each loser of a race reads again; more than this in a row means that something is wrong, not busy. */
const RACES_MAX = 20;

/**
 * Writes a revision's terminal status and frees the deployment's slot, in one transaction: the only way a revision that was taken from
 * the queue ends, for Finish and sweep alike. Harmless when it has ended already.
 */
export async function endRevision(deps: EndDeps, ref: RevisionRef): Promise<void> {
  for (let race = 0; race < RACES_MAX; race++) {
    const loaded = await load(deps, ref, numberOf(ref.revisionId));
    if (loaded === undefined) return;
    const { slotRevision } = loaded;
    const revision = slotRevision?.id === ref.revisionId ? slotRevision : await findRevision(deps.table, ref);
    if (revision === undefined) return;
    const ending = endingOf({
      status: revision.status,
      interruptRequestedAt: revision.interrupt_requested_at,
      deleted: loaded.deployment.status === 'AWAITING_DELETE',
      outcome: revision.outcome,
    });
    if (ending === undefined) return;
    if (!(await endWithArtifacts(deps, loaded, revision, ending))) continue;
    // The revision itself says the cause as well: a log that cannot be read or written must not keep the queue from moving.
    await logCause(deps, revision, ending).catch(() => undefined);
    return;
  }
  throw new Error(`revision ${ref.revisionId} could not be ended: ${RACES_MAX} races lost`);
}

/**
 * A store of files that fails keeps no revision from its end. Then the error is thrown once that is written, so that somebody hears of it;
 * what has to go is found again when the next one ends.
 */
async function endWithArtifacts(
  deps: EndDeps,
  loaded: Loaded,
  revision: Revision,
  ending: Ending,
): Promise<boolean> {
  const [planned] = await Promise.allSettled([planArtifacts(deps, loaded, revision, ending)]);
  const plan = planned.status === 'fulfilled' ? planned.value : undefined;
  const hasEnded = await tryEnd(deps, loaded, revision, ending, plan);
  if (hasEnded && planned.status === 'rejected') throw planned.reason;
  if (hasEnded && plan !== undefined) await deleteDropped(deps, plan);
  return hasEnded;
}

async function tryEnd(
  deps: EndDeps,
  loaded: Loaded,
  revision: Revision,
  ending: Ending,
  plan: ArtifactPlan | undefined,
): Promise<boolean> {
  const now = deps.clock.now();
  const known = loaded.slotRevision?.id === revision.id ? loaded.token : undefined;
  const token = known ?? (await findToken(deps.table, loaded.owner, revision.number));
  const tokenAt = tokenKey(revision.tenant_id, revision.deployment_id, revision.number);
  const writes = [
    endOfRevision(revision, ending, now),
    ...noteEnds([revision], ending.status),
    ...endOfDeploymentPart(loaded, revision, ending, now, plan),
    ...(token === undefined ? [] : [remove('token', tokenAt)]),
  ];
  try {
    await transact(deps.table, writes);
    return true;
  } catch (error) {
    if (error instanceof ConditionsFailed) return false;
    throw error;
  }
}

function endOfRevision(revision: Revision, ending: Ending, now: number): Write {
  const at = revisionKeyOf(refOf(revision));
  return move(
    revision,
    ending.status,
    now,
    {
      set: {
        status_message: ending.message,
        ...(buildMayRun(revision) ? inFlightDue(at, now) : endedDue(at, now)),
      },
      remove: ['build_due_at', 'restart', 'at_capacity'],
    },
    guard('interrupt: as read', same('interrupt_requested_at', revision.interrupt_requested_at)),
    sameOutcome(revision),
  );
}

/** Its build was started, and nothing that we know of has ended it: sweep looks at the revision until it has. */
const buildMayRun = ({ build_id: buildId, status, outcome }: Revision): boolean =>
  buildId !== undefined && stageOf(status) === 'build' && outcome?.stage !== 'build';

/** The deployment, its row in the list, the task still open for the revision and what the listener should run. */
function endOfDeploymentPart(
  loaded: Loaded,
  revision: Revision,
  ending: Ending,
  now: number,
  plan: ArtifactPlan | undefined,
): Write[] {
  const { deployment, task } = loaded;
  const own = task?.revision_id === revision.id && task.state !== 'cancelled' ? task : undefined;
  const withdrawn = own?.state === 'offered';
  const epoch = deployment.epoch + (own === undefined ? 0 : 1);
  const taskStays = task !== undefined && !withdrawn;
  const deployed = ending.status === 'DEPLOYED';
  // What is being deleted stays so, and its row has left the list.
  const listed = deployment.status !== 'AWAITING_DELETE';
  const current = deployed ? activated(deployment, revision) : failedActive(deployment, revision);
  const change = deploymentChange(deployment, revision, now, taskStays);
  const placed = revision.task_id !== undefined;
  return [
    update(
      'deployment',
      deploymentKey(deployment.tenant_id, deployment.id),
      {
        ...change,
        set: {
          ...change.set,
          epoch,
          artifacts: plan?.artifacts,
          ...(current !== undefined && { active: current }),
          ...(deployed && listed && { status: 'READY' }),
        },
        remove: [...(change.remove ?? []), ...(withdrawn ? ['task_id'] : [])],
      },
      guard('epoch: as read', equals('epoch', deployment.epoch)),
      guard('deletion: as read', equals('status', deployment.status)),
      guard('queue: as read', equals('queued', deployment.queued)),
      guard('task: as read', same('task_id', deployment.task_id)),
      guard('slot: holder as read', same('slot.revision_id', deployment.slot?.revision_id)),
      addressStays(deployment),
    ),
    ...(own === undefined ? [] : withdrawn ? endTask(own, 'withdrawn', false, now) : [cancelTask(own)]),
    ...(placed
      ? place(deployment, deployed ? revision.id : deployment.active?.revision_id, epoch, taskStays)
      : []),
    ...(listed && current !== undefined ? [activeRow(deployment, current)] : []),
  ];
}

function deploymentChange(
  deployment: Deployment,
  revision: Revision,
  now: number,
  taskStays: boolean,
): Change {
  const holdsSlot = deployment.slot?.revision_id === revision.id;
  const deleting = deployment.status === 'AWAITING_DELETE';
  const moreToDo = deployment.queued.length > 0 || taskStays || deleting;
  const key = deploymentKey(deployment.tenant_id, deployment.id);
  const commit = revision.revision_config.repo_commit_sha;
  const newest = deployment.latest_number === revision.number && commit !== undefined;
  return {
    set: {
      updated_at: new Date(now).toISOString(),
      ...(newest && { 'revision_config.repo_commit_sha': commit }),
      ...(moreToDo && due(key.pk, now + IN_FLIGHT_LOOK_MILLISECONDS)),
    },
    remove: [...(holdsSlot ? ['slot'] : []), ...(moreToDo ? [] : ['due_pk', 'due_at'])],
  };
}

function activated(deployment: Deployment, revision: Revision): NonNullable<Deployment['active']> {
  const { outcome } = revision;
  return {
    revision_id: revision.id,
    number: revision.number,
    ...(outcome?.url !== undefined && { url: outcome.url }),
    ...(outcome?.image_version !== undefined && { image_version: outcome.image_version }),
    healthy: true,
    epoch: outcome?.epoch ?? deployment.epoch,
    reconciled: true,
  };
}

/** A failed revision never replaces the active one; but when the listener could not restore that, it no longer serves. */
function failedActive(deployment: Deployment, revision: Revision): Deployment['active'] {
  if (revision.outcome?.previous_serving !== false || deployment.active === undefined) return undefined;
  const reason = `The deploy of revision ${revision.id} failed and this one could not be restored.`;
  return { ...deployment.active, healthy: false, reason };
}

const cancelTask = (task: NonNullable<Loaded['task']>): Write =>
  update(
    'task',
    openTaskKey(task.tenant_id, task.listener_id, task.id),
    { set: { state: 'cancelled' } },
    guard('lease: claimed', equals('state', 'claimed')),
  );

/** Clients show only the logs: a failure's cause is also the last line of its stage's log. */
async function logCause(deps: EndDeps, revision: Revision, { status, message }: Ending): Promise<void> {
  const type = status === 'BUILD_FAILED' ? 'build' : status === 'DEPLOY_FAILED' ? 'deploy' : undefined;
  if (type === undefined || message === undefined) return;
  const stream = {
    tenantId: revision.tenant_id,
    deploymentId: revision.deployment_id,
    revisionId: revision.id,
    type,
  } as const;
  const { entries } = await deps.logs.query(stream, { order: 'desc', limit: 1 });
  const last = entries[0]?.message ?? '';
  // Its first line is the cause; the output that it quotes after it stands in the log already. So may the cause, by who knew it first.
  const [cause = ''] = message.split('\n', 1);
  if (last !== '' && cause.startsWith(last)) return;
  await deps.logs.append(stream, [{ timestamp: deps.clock.now(), level: 'ERROR', message: cause }]);
}
