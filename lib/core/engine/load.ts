import type { BuildControl, BuildState } from '../../adapters/builds.ts';
import type { DeploymentRef } from '../../contract/refs.ts';
import { dependsOnWaiting } from '../../domain/decide.ts';
import type { Situation, SlotRevision, TaskFacts } from '../../domain/situation.ts';
import type { Deps, Settings } from '../deps.ts';
import { type Deletion, findDeletion } from '../items/deletions.ts';
import { findDeployment } from '../items/deployments.ts';
import type { Deployment, OpenTask, Revision, TaskToken } from '../items/items.ts';
import { isManaged, leaseSecondsOf } from '../items/managed.ts';
import { attemptOf, findRevisionByNumber, findToken, findWithRevision } from '../items/revisions.ts';
import { findOpenTask } from '../items/tasks.ts';
import { type Asked, notAsked } from './ask.ts';

export type EngineDeps = Pick<
  Deps,
  'table' | 'clock' | 'workflow' | 'computeDriver' | 'logs' | 'blobs' | 'images' | 'settings'
> & { builds: BuildControl };

/** One deployment as the engine reads it: strongly, and always whole. */
export type Loaded = {
  owner: DeploymentRef;
  deployment: Deployment;
  slotRevision: Revision | undefined;
  /** Was read along with the deployment, but is not the one in its slot. */
  other?: Revision | undefined;
  task: OpenTask | undefined;
  /** Read only when it may matter which state waits. */
  token: TaskToken | undefined;
  /** Read only while the deployment is being deleted. */
  deletion: Deletion | undefined;
};

/**
 * Reads the deployment, the revision in its slot, that one's token if it may matter, the open task and the
 * deletion. Undefined when the deployment is gone. `likely`: the number of the revision that the slot
 * probably has, which is then read in the same request.
 */
export async function load(
  deps: Pick<Deps, 'table'>,
  owner: DeploymentRef,
  likely?: number,
): Promise<Loaded | undefined> {
  const [deployment, guessed] =
    likely === undefined
      ? [await findDeployment(deps.table, owner.tenantId, owner.deploymentId), undefined]
      : await findWithRevision(deps.table, owner, likely);
  if (deployment === undefined) return undefined;
  const { task_id: taskId } = deployment;
  const slot = deployment.slot?.kind === 'revision' ? deployment.slot : undefined;
  const [slotRevision, task, deletion] = await Promise.all([
    slot &&
      (slot.number === guessed?.number ? guessed : findRevisionByNumber(deps.table, owner, slot.number)),
    taskId === undefined
      ? undefined
      : findOpenTask(deps.table, owner.tenantId, deployment.listener_id, taskId),
    deployment.status === 'AWAITING_DELETE' ? findDeletion(deps.table, owner) : undefined,
  ]);
  const asksForToken =
    slotRevision !== undefined && dependsOnWaiting(slotRevisionFacts(slotRevision, undefined, notAsked));
  const token = asksForToken ? await findToken(deps.table, owner, slotRevision.number) : undefined;
  const other = guessed === slotRevision ? undefined : guessed;
  return { owner, deployment, slotRevision, other, task, token, deletion };
}

export function situationOf(loaded: Loaded, asked: Asked, now: number, settings: Settings): Situation {
  const { deployment, slotRevision, task, token } = loaded;
  return {
    now,
    execution: asked.execution,
    firstQueued: deployment.queued.at(0),
    slot: deployment.slot,
    slotRevision: slotRevision && slotRevisionFacts(slotRevision, token, asked),
    deletion: deletionFacts(loaded),
    task: task && taskFacts(task, slotRevision),
    listenerSeenAt: asked.listenerSeenAt,
    managed: isManaged(deployment) ? { asked: asked.isSweep } : undefined,
    limits: {
      unclaimedMilliseconds: settings.unclaimedSeconds * 1000,
      silentMilliseconds: settings.silentSeconds * 1000,
      leaseMilliseconds: leaseSecondsOf(deployment) * 1000,
    },
  };
}

function slotRevisionFacts(slotRevision: Revision, token: TaskToken | undefined, asked: Asked): SlotRevision {
  return {
    status: slotRevision.status,
    restartMarked:
      slotRevision.restart !== undefined && slotRevision.restart.attempt === attemptOf(slotRevision),
    executionAbsentSince: slotRevision.execution_absent_since,
    silenceFound: slotRevision.silence_found,
    interruptRequested: slotRevision.interrupt_requested_at !== undefined,
    outcome: slotRevision.outcome,
    waiting: token?.stage,
    build:
      slotRevision.build_id === undefined
        ? undefined
        : { state: buildState(asked.build), absentSince: slotRevision.build_absent_since },
    buildDueAt: slotRevision.build_due_at,
    buildLost:
      slotRevision.build_id === undefined && slotRevision.lost_build?.attempt === attemptOf(slotRevision),
    buildPhase: slotRevision.build_phase,
    atCapacity: slotRevision.at_capacity === true,
    offered: slotRevision.task_id !== undefined,
    switching: slotRevision.switching === true,
  };
}

function deletionFacts({ deployment, deletion }: Loaded): Situation['deletion'] {
  if (deployment.status !== 'AWAITING_DELETE') return undefined;
  return {
    forced: deletion?.forced === true,
    tornDown: deletion?.torn_down === true,
    // Each offer raises the epoch.
    everOffered: deployment.epoch > 0,
    retryAt: deletion?.retry_at,
  };
}

function buildState(build: BuildState | undefined): NonNullable<SlotRevision['build']>['state'] {
  switch (build?.state) {
    case undefined:
      return 'not_asked';
    case 'waiting':
    case 'running':
    case 'absent':
      return build.state;
    default:
      return 'ended';
  }
}

const taskFacts = (task: OpenTask, slotRevision: Revision | undefined): TaskFacts => ({
  kind: task.kind,
  ofSlotRevision:
    slotRevision !== undefined && task.kind === 'DEPLOY' && task.revision_id === slotRevision.id,
  state: task.state,
  offeredAt: task.offered_at,
  leaseUntil: task.lease_until,
  lastHeartbeatAt: task.last_heartbeat_at,
});
