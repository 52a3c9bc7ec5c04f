import type { RevisionStatus } from '../contract/revision-status.ts';
import type { Stage } from './transitions.ts';

/** Everything the engine knows about one deployment at one moment, read strongly. */
export type Situation = {
  /** Epoch milliseconds. */
  now: number;
  /** Asking costs a call, so only sweep does. */
  execution: 'running' | 'closed' | 'absent' | 'not_asked';
  firstQueued: number | undefined;
  slot: { kind: 'revision' | 'delete' } | undefined;
  /** The revision in the slot. */
  holder: Holder | undefined;
  /** Undefined unless the deployment is being deleted. */
  deletion: Deletion | undefined;
  /** The deployment's open task on its listener, whichever revision it was offered for. */
  task: TaskFacts | undefined;
  limits: { unclaimedMilliseconds: number; silentMilliseconds: number };
};

export type Holder = {
  status: RevisionStatus;
  interruptRequested: boolean;
  outcome: { stage: Stage; result: 'succeeded' | 'failed' | 'skipped' } | undefined;
  /** The stage whose state waits for its token to be answered. */
  waiting: 'build' | 'deploy' | undefined;
  build: { state: 'waiting' | 'running' | 'ended' | 'absent' | 'not_asked'; dueAt: number } | undefined;
  /** A task was offered for it (it may have ended since). */
  offered: boolean;
  /** Its listener moves traffic: too late to interrupt. */
  switching: boolean;
};

export type Deletion = {
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
  ofHolder: boolean;
  state: 'offered' | 'claimed' | 'cancelled';
  offeredAt: number;
  leaseUntil: number | undefined;
  lastHeartbeatAt: number | undefined;
};
