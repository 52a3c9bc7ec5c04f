import type { ExecutionStatus } from '../contract/execution-status.ts';
import type { RevisionStatus } from '../contract/revision-status.ts';
import type { SilenceFound } from './confirmed.ts';
import type { Stage } from './transitions.ts';

/** Everything the engine knows about one deployment at one moment, read strongly. */
export type Situation = {
  /** Epoch milliseconds. */
  now: number;
  /** Asking costs a call, so only sweep does. */
  execution: ExecutionStatus | 'not_asked';
  firstQueued: number | undefined;
  slot: { kind: 'revision' | 'delete' } | undefined;
  /** The revision in the slot. */
  slotRevision: SlotRevision | undefined;
  /** Undefined unless the deployment is being deleted. */
  deletion: DeletionState | undefined;
  /** The deployment's open task on its listener, whichever revision it was offered for. */
  task: TaskFacts | undefined;
  /** When the listener last asked for work (undefined: never). Reading it costs, so only sweep does. */
  listenerSeenAt: number | undefined | 'not_asked';
  /** Undefined unless the installation itself runs the deployment. `asked`: sweep looks. */
  managed: { asked: boolean } | undefined;
  limits: { unclaimedMilliseconds: number; silentMilliseconds: number; leaseMilliseconds: number };
};

export type SlotRevision = {
  status: RevisionStatus;
  /** Its execution died and said so itself: the next attempt is to be started. */
  restartMarked: boolean;
  /** Epoch milliseconds: since when the workflow says that it knows of no execution. */
  executionAbsentSince: number | undefined;
  /** Looks have found the listener silent to which its task is offered. */
  silenceFound: SilenceFound | undefined;
  interruptRequested: boolean;
  outcome: { stage: Stage; result: 'succeeded' | 'failed' } | undefined;
  /** The stage whose state waits for its token to be answered. */
  waiting: 'build' | 'deploy' | undefined;
  build:
    | { state: 'waiting' | 'running' | 'ended' | 'absent' | 'not_asked'; absentSince: number | undefined }
    | undefined;
  /** Epoch milliseconds: when its build must have begun to run or, if it has, have ended. */
  buildDueAt: number | undefined;
  /** What is noted of its build already. */
  buildPhase: 'waiting' | 'running' | undefined;
  /** Its build was lost while this execution waited for it. */
  buildLost: boolean;
  /** No build can start now; nothing waits until the next try. */
  atCapacity: boolean;
  /** A task was offered for it (it may have ended since). */
  offered: boolean;
  /** Its listener moves traffic: too late to interrupt. */
  switching: boolean;
};

export type DeletionState = {
  /** A person no longer waits for the listener. */
  forced: boolean;
  /** The listener has removed what ran. */
  tornDown: boolean;
  /** A listener may run something of the deployment. */
  everOffered: boolean;
  /** The listener could not remove it: it is not asked again before. */
  retryAt: number | undefined;
};

export type TaskFacts = {
  kind: 'DEPLOY' | 'DELETE';
  ofSlotRevision: boolean;
  state: 'offered' | 'claimed' | 'cancelled';
  /** When it was last offered: a lease that ran out offers it again. */
  offeredAt: number;
  leaseUntil: number | undefined;
  lastHeartbeatAt: number | undefined;
};
