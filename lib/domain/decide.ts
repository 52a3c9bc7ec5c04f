import type { RevisionStatus } from '../contract/revision-status.ts';
import type { Holder, Situation, TaskFacts } from './situation.ts';
import { isTerminal, stageOf } from './transitions.ts';

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
  | { do: 'end' }
  | { do: 'end_queued' }
  | { do: 'request_interrupt' }
  | { do: 'take_slot_to_delete' }
  | { do: 'offer_deletion' }
  /** The lease ran out: the task is offered again. */
  | { do: 'offer_deletion_again' }
  | { do: 'purge' };

const nothing: Action = { do: 'nothing' };

/**
 * The rule of the engine, pure: dispatch asks it after every change, sweep every minute, and both do what it says until it says
 * nothing. It looks at how things are, never at what changed, so a lost or repeated event changes no result.
 */
export function decide(s: Situation): Action {
  return aboutTask(s) ?? aboutDeletion(s) ?? aboutSlot(s) ?? nothing;
}

function aboutTask({ task, holder, deletion, now, limits }: Situation): Action | undefined {
  if (task === undefined) return undefined;
  const leaseExpired = task.leaseUntil !== undefined && now >= task.leaseUntil;
  const forced = deletion?.forced === true;
  if (task.kind === 'DELETE') {
    if (forced) return { do: 'release_task' };
    return task.state === 'claimed' && leaseExpired ? { do: 'offer_deletion_again' } : undefined;
  }
  if (task.state === 'cancelled') return leaseExpired || forced ? { do: 'release_task' } : undefined;
  const unwanted = !task.ofHolder || holder === undefined || isTerminal(holder.status);
  if (unwanted) return task.state === 'offered' ? { do: 'release_task' } : { do: 'cancel_task' };
  if (holder.outcome?.stage === 'deploy' || holder.interruptRequested) return undefined;
  if (task.state === 'claimed') return leaseExpired ? { do: 'mark_unknown' } : undefined;
  if (task.lastHeartbeatAt !== undefined) {
    return now >= task.lastHeartbeatAt + limits.silentMilliseconds ? { do: 'fail_silent' } : undefined;
  }
  return now >= task.offeredAt + limits.unclaimedMilliseconds ? { do: 'fail_unclaimed' } : undefined;
}

/** Nothing new begins; what is at work is interrupted and ends as it would otherwise; then the deletion has the slot for good. */
function aboutDeletion({ deletion, firstQueued, slot, holder, task, now }: Situation): Action | undefined {
  if (deletion === undefined) return undefined;
  if (firstQueued !== undefined) return { do: 'end_queued' };
  if (slot === undefined) return { do: 'take_slot_to_delete' };
  if (slot.kind === 'revision') return mayInterrupt(holder) ? { do: 'request_interrupt' } : undefined;
  if (task !== undefined) return undefined;
  if (deletion.forced || deletion.tornDown || !deletion.everOffered) return { do: 'purge' };
  return now >= (deletion.retryAt ?? 0) ? { do: 'offer_deletion' } : undefined;
}

const mayInterrupt = (holder: Holder | undefined): boolean =>
  holder !== undefined &&
  !isTerminal(holder.status) &&
  !holder.interruptRequested &&
  !holder.switching &&
  !deployDecided(holder);

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

/** Whether what is to be done with the revision may depend on which state waits: only then is its token worth reading. */
export const dependsOnWaiting = ({ outcome, interruptRequested, status, offered }: Holder): boolean =>
  outcome !== undefined || interruptRequested || (status === 'AWAITING_DEPLOY' && !offered);

const AT_WORK: readonly RevisionStatus[] = ['AWAITING_BUILD', 'BUILDING', 'DEPLOYING'];

/**
 * Whether a builder or a listener has the revision in hand in this status: then it gives nothing to do by itself, unless its outcome or an
 * interrupt is noted on it. What time or a question brings to light is sweep's.
 */
export const isAtWork = (status: RevisionStatus): boolean => AT_WORK.includes(status);

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
