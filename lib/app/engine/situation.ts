import type { BuildState } from '../../adapters/builds.ts';
import { LEASE_SECONDS } from '../../contract/listener-protocol.ts';
import { dependsOnWaiting } from '../../domain/decide.ts';
import type { Holder, Situation, TaskFacts } from '../../domain/situation.ts';
import { type Deletion, findDeletion } from '../../store/deletions.ts';
import { findDeployment } from '../../store/deployments.ts';
import type { Deployment, OpenTask, Revision, TaskToken } from '../../store/items.ts';
import { findRevisionByNumber, findToken, findWithRevision } from '../../store/revisions.ts';
import { findOpenTask } from '../../store/tasks.ts';
import type { Deps, Settings } from '../deps.ts';
import { type Asked, attemptOf, notAsked } from './ask.ts';

export type EngineDeps = Pick<
  Deps,
  'table' | 'clock' | 'workflow' | 'builds' | 'logs' | 'blobs' | 'images' | 'settings'
>;
export type Owner = { tenantId: string; deploymentId: string };

/** One deployment as the engine reads it: strongly, and always whole. */
export type Loaded = {
  owner: Owner;
  deployment: Deployment;
  holder: Revision | undefined;
  /** Was read along with the deployment, but is not the one in its slot. */
  other?: Revision | undefined;
  task: OpenTask | undefined;
  /** Read only when it may matter which state waits. */
  token: TaskToken | undefined;
  /** Read only while the deployment is being deleted. */
  deletion: Deletion | undefined;
};

/**
 * Reads the deployment, the revision in its slot, that one's token if it may matter, the open task and the deletion. Undefined when the deployment
 * is gone. `likely`: the number of the revision that the slot probably has, which is then read in the same request.
 */
export async function load(
  deps: Pick<Deps, 'table'>,
  owner: Owner,
  likely?: number,
): Promise<Loaded | undefined> {
  const [deployment, guessed] =
    likely === undefined
      ? [await findDeployment(deps.table, owner.tenantId, owner.deploymentId), undefined]
      : await findWithRevision(deps.table, owner, likely);
  if (deployment === undefined) return undefined;
  const { task_id: taskId } = deployment;
  const slot = deployment.slot?.kind === 'revision' ? deployment.slot : undefined;
  const [holder, task, deletion] = await Promise.all([
    slot &&
      (slot.number === guessed?.number ? guessed : findRevisionByNumber(deps.table, owner, slot.number)),
    taskId === undefined
      ? undefined
      : findOpenTask(deps.table, owner.tenantId, deployment.listener_id, taskId),
    deployment.status === 'AWAITING_DELETE' ? findDeletion(deps.table, owner) : undefined,
  ]);
  const asksForToken = holder !== undefined && dependsOnWaiting(holderFacts(holder, undefined, notAsked));
  const token = asksForToken ? await findToken(deps.table, owner, holder.number) : undefined;
  const other = guessed === holder ? undefined : guessed;
  return { owner, deployment, holder, other, task, token, deletion };
}

export function situationOf(loaded: Loaded, asked: Asked, now: number, settings: Settings): Situation {
  const { deployment, holder, task, token } = loaded;
  return {
    now,
    execution: asked.execution,
    firstQueued: deployment.queued[0],
    slot: deployment.slot,
    holder: holder && holderFacts(holder, token, asked),
    deletion: deletionFacts(loaded),
    task: task && taskFacts(task, holder),
    listenerSeenAt: asked.listenerSeenAt,
    limits: {
      unclaimedMilliseconds: settings.unclaimedSeconds * 1000,
      silentMilliseconds: settings.silentSeconds * 1000,
      leaseMilliseconds: LEASE_SECONDS * 1000,
    },
  };
}

function holderFacts(holder: Revision, token: TaskToken | undefined, asked: Asked): Holder {
  return {
    status: holder.status,
    restartMarked: holder.restart !== undefined && holder.restart.attempt === attemptOf(holder),
    executionAbsentSince: holder.execution_absent_since,
    interruptRequested: holder.interrupt_requested_at !== undefined,
    outcome: holder.outcome,
    waiting: token?.stage,
    build:
      holder.build_id === undefined
        ? undefined
        : { state: buildState(asked.build), absentSince: holder.build_absent_since },
    buildDueAt: holder.build_due_at,
    buildLost: holder.build_id === undefined && holder.lost_build?.attempt === attemptOf(holder),
    atCapacity: holder.at_capacity === true,
    offered: holder.task_id !== undefined,
    switching: holder.switching === true,
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

function buildState(build: BuildState | undefined): NonNullable<Holder['build']>['state'] {
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

const taskFacts = (task: OpenTask, holder: Revision | undefined): TaskFacts => ({
  kind: task.kind,
  ofHolder: holder !== undefined && task.revision_id === holder.id,
  state: task.state,
  offeredAt: task.offered_at,
  leaseUntil: task.lease_until,
  lastHeartbeatAt: task.last_heartbeat_at,
});
