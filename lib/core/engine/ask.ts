import type { BuildState } from '../../adapters/builds.ts';
import type { ExecutionStatus } from '../../contract/execution-status.ts';
import { stageOf } from '../../domain/transitions.ts';
import type { Revision } from '../items/items.ts';
import { findSeen } from '../items/listeners.ts';
import { isManaged } from '../items/managed.ts';
import { attemptOf } from '../items/revisions.ts';
import { expectedAt } from '../online.ts';
import type { EngineDeps, Loaded } from './load.ts';

/** What only sweep asks, because asking costs a call. */
export type Asked = {
  execution: ExecutionStatus | 'not_asked';
  build: BuildState | undefined;
  /**
   * Epoch milliseconds; undefined: it has never asked for work. One that was told to ask later counts as seen
   * when it was to.
   */
  listenerSeenAt: number | undefined | 'not_asked';
  isSweep: boolean;
};

export const notAsked: Asked = {
  execution: 'not_asked',
  build: undefined,
  listenerSeenAt: 'not_asked',
  isSweep: false,
};

/** {revision id}-{attempt}: a name runs once in 90 days, so each attempt has its own. */
export const executionName = (slotRevision: Pick<Revision, 'id' | 'attempt'>): string =>
  `${slotRevision.id}-${attemptOf(slotRevision)}`;

export type Questions = {
  /**
   * Right after a start of the control plane no listener can have been heard yet: then its silence says
   * nothing.
   */
  isStart: boolean;
  /** Hears of a question that failed. */
  onFailed: (error: unknown) => void;
};

/**
 * Asks the workflow and the builds how things really are, and when the listener last asked for work. A
 * question that fails counts as not asked, and its error goes to `onFailed`: one service that does not answer
 * hides nothing that another one says.
 */
export async function ask(
  deps: EngineDeps,
  loaded: Loaded,
  { isStart, onFailed }: Questions,
): Promise<Asked> {
  const [execution, build, listenerSeenAt] = await Promise.all([
    executionOf(deps, loaded).catch((error: unknown) => {
      onFailed(error);
      return notAsked.execution;
    }),
    buildOf(deps, loaded).catch((error: unknown) => {
      onFailed(error);
      return undefined;
    }),
    isStart ? notAsked.listenerSeenAt : listenerSeen(deps, loaded),
  ]);
  return { execution, build, listenerSeenAt, isSweep: true };
}

async function executionOf({ workflow }: EngineDeps, { slotRevision }: Loaded): Promise<Asked['execution']> {
  return slotRevision === undefined ? notAsked.execution : workflow.status(executionName(slotRevision));
}

async function buildOf({ builds }: EngineDeps, { slotRevision }: Loaded): Promise<BuildState | undefined> {
  const isOpen =
    slotRevision?.outcome === undefined && stageOf(slotRevision?.status ?? 'DEPLOYED') === 'build';
  return isOpen && slotRevision?.build_id !== undefined ? builds.state(slotRevision.build_id) : undefined;
}

/**
 * Only an offered task can wait for a listener in vain. A driver is woken for one deployment: that it works
 * on others says nothing of this one.
 */
async function listenerSeen(
  { table }: EngineDeps,
  { owner, deployment, task }: Loaded,
): Promise<Asked['listenerSeenAt']> {
  if (task?.kind !== 'DEPLOY' || task.state !== 'offered') return notAsked.listenerSeenAt;
  if (isManaged(deployment)) return undefined;
  const seen = await findSeen(table, owner.tenantId, deployment.listener_id);
  return seen && expectedAt(seen);
}
