import type { RevisionStatus } from '../contract/revision-status.ts';
import { isTerminal, type Stage, stageOf } from './transitions.ts';

/** Everything the engine knows about one deployment at one moment, read strongly. */
export type Situation = {
  /** Epoch milliseconds. */
  now: number;
  /** Asking costs a call, so only sweep does. */
  execution: 'running' | 'closed' | 'absent' | 'not_asked';
  firstQueued: number | undefined;
  slot: { attempt: number } | undefined;
  /** The revision in the slot. */
  holder: Holder | undefined;
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
};

export type TaskFacts = {
  ofHolder: boolean;
  state: 'offered' | 'claimed' | 'cancelled';
  offeredAt: number;
  leaseUntil: number | undefined;
  lastHeartbeatAt: number | undefined;
};

/** The next thing to do. Each is conditional where it writes: when the world has moved on, it changes nothing. */
export type Action =
  | { do: 'nothing' }
  | { do: 'take_slot'; number: number }
  | { do: 'start_execution'; nextAttempt: boolean }
  /** Stop the build if one runs, then fail the waiting token. */
  | { do: 'interrupt' }
  | { do: 'answer_token' }
  | { do: 'offer_task' }
  | { do: 'mark_unknown' }
  | { do: 'release_task' }
  | { do: 'cancel_task' }
  | { do: 'fail_unclaimed' }
  | { do: 'fail_silent' }
  | { do: 'read_build' }
  | { do: 'fail_build_overdue' }
  | { do: 'end' };

const nothing: Action = { do: 'nothing' };

/**
 * The rule of the engine, pure: dispatch asks it after every change, sweep every minute, and both do what it says until it says
 * nothing. It looks at how things are, never at what changed, so a lost or repeated event changes no result.
 */
export function decide(s: Situation): Action {
  return aboutTask(s) ?? aboutSlot(s) ?? nothing;
}

function aboutTask({ task, holder, now, limits }: Situation): Action | undefined {
  if (task === undefined) return undefined;
  const leaseExpired = task.leaseUntil !== undefined && now >= task.leaseUntil;
  if (task.state === 'cancelled') return leaseExpired ? { do: 'release_task' } : undefined;
  const unwanted = !task.ofHolder || holder === undefined || isTerminal(holder.status);
  if (unwanted) return task.state === 'offered' ? { do: 'release_task' } : { do: 'cancel_task' };
  if (holder.outcome?.stage === 'deploy' || holder.interruptRequested) return undefined;
  if (task.state === 'claimed') return leaseExpired ? { do: 'mark_unknown' } : undefined;
  if (task.lastHeartbeatAt !== undefined) {
    return now >= task.lastHeartbeatAt + limits.silentMilliseconds ? { do: 'fail_silent' } : undefined;
  }
  return now >= task.offeredAt + limits.unclaimedMilliseconds ? { do: 'fail_unclaimed' } : undefined;
}

function aboutSlot(s: Situation): Action | undefined {
  if (s.slot === undefined) {
    return s.firstQueued === undefined ? undefined : { do: 'take_slot', number: s.firstQueued };
  }
  if (s.holder === undefined) return undefined;
  if (isTerminal(s.holder.status)) return { do: 'end' };
  if (s.holder.interruptRequested && !deployDecided(s.holder)) return interrupt(s.holder, s.execution);
  if (s.holder.status === 'QUEUED' && s.holder.outcome === undefined) return starting(s.execution);
  return answering(s.holder) ?? dead(s.execution) ?? building(s.holder, s.now) ?? offering(s.holder, s.task);
}

const deployDecided = (holder: Holder): boolean => holder.outcome?.stage === 'deploy';

function interrupt(holder: Holder, execution: Situation['execution']): Action | undefined {
  if (holder.waiting !== undefined) return { do: 'interrupt' };
  // Nothing waits: either a step is at work and its next conditional write will fail, or the execution is gone.
  return dead(execution);
}

/** A start is repeated while the slot's revision is still QUEUED: the same name and input are harmless while it runs. */
function starting(execution: Situation['execution']): Action | undefined {
  if (execution === 'running') return undefined;
  return { do: 'start_execution', nextAttempt: execution === 'closed' };
}

function answering(holder: Holder): Action | undefined {
  const { outcome, waiting } = holder;
  return outcome !== undefined && waiting === outcome.stage ? { do: 'answer_token' } : undefined;
}

function dead(execution: Situation['execution']): Action | undefined {
  return execution === 'closed' || execution === 'absent' ? { do: 'end' } : undefined;
}

function building(holder: Holder, now: number): Action | undefined {
  const { build, outcome } = holder;
  if (build === undefined || outcome !== undefined || stageOf(holder.status) !== 'build') return undefined;
  if (build.state === 'ended' || build.state === 'absent') return { do: 'read_build' };
  if (build.state === 'running' && holder.status === 'AWAITING_BUILD') return { do: 'read_build' };
  return now >= build.dueAt ? { do: 'fail_build_overdue' } : undefined;
}

function offering(holder: Holder, task: TaskFacts | undefined): Action | undefined {
  const ready = holder.waiting === 'deploy' && holder.status === 'AWAITING_DEPLOY' && !holder.offered;
  return ready && task === undefined && holder.outcome === undefined ? { do: 'offer_task' } : undefined;
}
