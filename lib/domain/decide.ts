import type { RevisionStatus } from '../contract/revision-status.ts';
import { isAbsentForSure, isSilentForSure } from './confirmed.ts';
import { silenceOf } from './silence.ts';
import type { Situation, SlotRevision, TaskFacts } from './situation.ts';
import { isTerminal, stageOf } from './transitions.ts';

/**
 * The next thing to do. Each is conditional where it writes: when the world has moved on, it changes nothing.
 */
export type Action =
  | { do: 'nothing' }
  | { do: 'take_slot'; number: number }
  | { do: 'start_execution' }
  /** Start the next attempt of the execution; `isDeath`: it counts among those that a stage may have. */
  | { do: 'restart'; isDeath: boolean }
  /** Fail the waiting token: the execution ends the revision, and with it its build. */
  | { do: 'interrupt' }
  | { do: 'answer_token' }
  | { do: 'offer_task' }
  | { do: 'mark_unknown' }
  | { do: 'release_task' }
  | { do: 'cancel_task' }
  | { do: 'fail_unclaimed' }
  | { do: 'fail_silent' }
  | { do: 'read_build' }
  /** Tell the state that waits for a build that it was lost. */
  | { do: 'fail_lost_build' }
  | { do: 'fail_build_overdue' }
  /** An operator has ended its execution by hand. */
  | { do: 'fail_aborted' }
  | { do: 'end' }
  | { do: 'end_queued' }
  | { do: 'request_interrupt' }
  | { do: 'take_slot_to_delete' }
  | { do: 'offer_deletion' }
  /** The lease ran out: the task is offered again. */
  | { do: 'offer_deletion_again' }
  | { do: 'purge' }
  /** Nothing is left to write: wake the driver of managed compute, which goes on from what it finds. */
  | { do: 'drive' };

const nothing: Action = { do: 'nothing' };

const UNANSWERED_BUILD_MILLISECONDS = 10 * 60_000;

/**
 * The rule of the engine, pure: dispatch asks it after every change, sweep every minute, and both do what it
 * says until it says nothing. It looks at how things are, never at what changed, so a lost or repeated event
 * changes no result.
 */
export function decide(s: Situation): Action {
  return aboutTask(s) ?? aboutDeletion(s) ?? aboutSlot(s) ?? aboutDriver(s) ?? nothing;
}

/**
 * Nobody asks for work in the name of managed compute. A change brings it a task, or takes one from it; sweep
 * wakes the next driver where one has ended, and looks after what runs.
 */
function aboutDriver({ managed, task }: Situation): Action | undefined {
  if (managed === undefined) return undefined;
  const isNews = task !== undefined && task.state !== 'claimed';
  return isNews || managed.asked ? { do: 'drive' } : undefined;
}

function aboutTask(s: Situation): Action | undefined {
  const { task, slotRevision, deletion, now } = s;
  if (task === undefined) return undefined;
  const leaseExpired = task.leaseUntil !== undefined && now >= task.leaseUntil;
  const forced = deletion?.forced === true;
  if (task.kind === 'DELETE') {
    if (forced) return { do: 'release_task' };
    return task.state === 'claimed' && leaseExpired ? { do: 'offer_deletion_again' } : undefined;
  }
  if (task.state === 'cancelled') return leaseExpired || forced ? { do: 'release_task' } : undefined;
  const unwanted = !task.ofSlotRevision || slotRevision === undefined || isTerminal(slotRevision.status);
  if (unwanted) return task.state === 'offered' ? { do: 'release_task' } : { do: 'cancel_task' };
  if (slotRevision.outcome?.stage === 'deploy' || slotRevision.interruptRequested) return undefined;
  if (task.state === 'claimed') return leaseExpired ? { do: 'mark_unknown' } : undefined;
  const silence = silenceOf(s);
  if (silence === undefined || !isSilentForSure(slotRevision.silenceFound, now)) return undefined;
  return { do: silence === 'unclaimed' ? 'fail_unclaimed' : 'fail_silent' };
}

/**
 * Follows from time alone, so it is done before anything is asked: a service that does not answer keeps no
 * lease from running out.
 */
export const followsFromTime = (action: Action): boolean =>
  ['mark_unknown', 'release_task', 'cancel_task', 'offer_deletion_again'].includes(action.do);

/**
 * Nothing new begins; what is at work is interrupted and ends as it would otherwise; then the deletion has
 * the slot for good.
 */
function aboutDeletion({
  deletion,
  firstQueued,
  slot,
  slotRevision,
  task,
  now,
}: Situation): Action | undefined {
  if (deletion === undefined) return undefined;
  if (firstQueued !== undefined) return { do: 'end_queued' };
  if (slot === undefined) return { do: 'take_slot_to_delete' };
  if (slot.kind === 'revision') return mayInterrupt(slotRevision) ? { do: 'request_interrupt' } : undefined;
  if (task !== undefined) return undefined;
  if (deletion.forced || deletion.tornDown || !deletion.everOffered) return { do: 'purge' };
  return now >= (deletion.retryAt ?? 0) ? { do: 'offer_deletion' } : undefined;
}

const mayInterrupt = (slotRevision: SlotRevision | undefined): boolean =>
  slotRevision !== undefined &&
  !isTerminal(slotRevision.status) &&
  !slotRevision.interruptRequested &&
  !slotRevision.switching &&
  !deployDecided(slotRevision);

function aboutSlot(s: Situation): Action | undefined {
  const { slot, slotRevision } = s;
  if (slot === undefined) {
    return s.firstQueued === undefined ? undefined : { do: 'take_slot', number: s.firstQueued };
  }
  if (slotRevision === undefined) return undefined;
  if (isTerminal(slotRevision.status)) return { do: 'end' };
  const death = deathOf(s, slotRevision);
  if (slotRevision.interruptRequested && !deployDecided(slotRevision))
    return interrupting(slotRevision, death);
  if (slotRevision.outcome !== undefined) return concluding(slotRevision, slotRevision.outcome, death);
  // A build that ended with its execution decides where the next attempt begins, and is no second death.
  if (death !== undefined && mayHaveEndedToo(slotRevision)) return building(slotRevision, s.now);
  if (death !== undefined) return readingBuild(slotRevision, s.now) ?? deathOfUndecided(death);
  if (slotRevision.status === 'QUEUED') return starting(s.execution);
  return building(slotRevision, s.now) ?? offering(slotRevision, s.task);
}

/**
 * How the execution of the revision in the slot came to be gone; undefined while it runs, or nobody has
 * asked.
 */
type Death = 'died' | 'stopped' | 'aborted' | 'never_started';

function deathOf({ execution, now }: Situation, slotRevision: SlotRevision): Death | undefined {
  if (slotRevision.restartMarked) return 'died';
  switch (execution) {
    case 'running':
    case 'not_asked':
      return undefined;
    case 'stopped':
    case 'aborted':
      return execution;
    case 'absent':
      return isAbsentForSure(slotRevision.executionAbsentSince, now) ? 'never_started' : undefined;
    default:
      return 'died';
  }
}

/** An interrupt never restarts anything. */
function interrupting(slotRevision: SlotRevision, death: Death | undefined): Action | undefined {
  if (slotRevision.waiting !== undefined) return { do: 'interrupt' };
  // Otherwise nothing waits because a step is at work, and its next conditional write will fail.
  return death !== undefined || slotRevision.atCapacity ? { do: 'end' } : undefined;
}

/**
 * An outcome is recorded: the state that waits for it goes on with it. Without one the revision ends by it,
 * or goes on to its deploy.
 */
function concluding(
  { waiting, atCapacity }: SlotRevision,
  { stage, result }: NonNullable<SlotRevision['outcome']>,
  death: Death | undefined,
): Action | undefined {
  if (waiting === stage) return { do: 'answer_token' };
  const isLast = stage === 'deploy' || result !== 'succeeded';
  if (death !== undefined) return isLast ? { do: 'end' } : deathOfUndecided(death);
  return isLast && atCapacity ? { do: 'end' } : undefined;
}

/**
 * A crash is no reason to fail: the next attempt takes the revision up where it is. Only a person's hand on
 * the execution ends it.
 */
function deathOfUndecided(death: Death): Action {
  switch (death) {
    case 'aborted':
      return { do: 'fail_aborted' };
    case 'never_started':
      return { do: 'start_execution' };
    case 'stopped':
    case 'died':
      return { do: 'restart', isDeath: death === 'died' };
  }
}

/**
 * Whether what is to be done with the revision may depend on which state waits: only then is its token worth
 * reading.
 */
export const dependsOnWaiting = (slotRevision: SlotRevision): boolean =>
  slotRevision.outcome !== undefined ||
  slotRevision.interruptRequested ||
  slotRevision.buildLost ||
  (slotRevision.status === 'AWAITING_DEPLOY' && !slotRevision.offered);

const AT_WORK: readonly RevisionStatus[] = ['AWAITING_BUILD', 'BUILDING', 'DEPLOYING'];

/**
 * Whether a builder or a listener has the revision in hand in this status: then it gives nothing to do by
 * itself, unless its outcome or an interrupt is noted on it. What time or a question brings to light is
 * sweep's.
 */
export const isAtWork = (status: RevisionStatus): boolean => AT_WORK.includes(status);

const deployDecided = (slotRevision: SlotRevision): boolean => slotRevision.outcome?.stage === 'deploy';

/**
 * A start is repeated while the slot's revision is still QUEUED: the same name and input are harmless while
 * it runs.
 */
const starting = (execution: Situation['execution']): Action | undefined =>
  execution === 'running' ? undefined : { do: 'start_execution' };

function readingBuild({ build, status }: SlotRevision, now: number): Action | undefined {
  if (build === undefined || stageOf(status) !== 'build') return undefined;
  const isGone = build.state === 'absent' && isAbsentForSure(build.absentSince, now);
  return build.state === 'ended' || isGone ? { do: 'read_build' } : undefined;
}

/**
 * What ended the execution may have ended its build, and nobody could say (for sure) yet. An execution that
 * said itself that it died was alone.
 */
const mayHaveEndedToo = ({ build, restartMarked, status }: SlotRevision): boolean =>
  !restartMarked &&
  stageOf(status) === 'build' &&
  (build?.state === 'not_asked' || build?.state === 'absent');

function building(slotRevision: SlotRevision, now: number): Action | undefined {
  const { build, buildDueAt, buildLost, buildPhase, waiting } = slotRevision;
  if (stageOf(slotRevision.status) !== 'build') return undefined;
  if (buildLost && waiting === 'build') return { do: 'fail_lost_build' };
  const reading = readingBuild(slotRevision, now);
  if (reading !== undefined) return reading;
  const isNews =
    (build?.state === 'running' && buildPhase !== 'running') ||
    (build?.state === 'waiting' && buildPhase === undefined);
  if (isNews) return { do: 'read_build' };
  // That nobody can say how the build is may be a fault of ours: it gets the time in which such faults pass.
  const patience = build?.state === 'not_asked' ? UNANSWERED_BUILD_MILLISECONDS : 0;
  const isOverdue = buildDueAt !== undefined && now >= buildDueAt + patience;
  return isOverdue ? { do: 'fail_build_overdue' } : undefined;
}

function offering(slotRevision: SlotRevision, task: TaskFacts | undefined): Action | undefined {
  const ready =
    slotRevision.waiting === 'deploy' && slotRevision.status === 'AWAITING_DEPLOY' && !slotRevision.offered;
  return ready && task === undefined && slotRevision.outcome === undefined ? { do: 'offer_task' } : undefined;
}
