import type { DeploymentRef } from '../../contract/refs.ts';
import { type Action, decide, followsFromTime } from '../../domain/decide.ts';
import { ConditionsFailed } from '../../store/dynamodb/transact.ts';
import { isManaged } from '../items/managed.ts';
import { MoveRefused, refOf } from '../items/revisions.ts';
import { type Asked, ask, notAsked, type Questions } from './ask.ts';
import { failAborted, failBuildOverdue } from './builds.ts';
import {
  endQueued,
  interruptForDeletion,
  offerDeletion,
  offerDeletionAgain,
  takeSlotToDelete,
} from './deletion.ts';
import { failSilent, failUnclaimed, markUnknown, offerTask } from './deploys.ts';
import { endRevision } from './end-revision.ts';
import { type EngineDeps, type Loaded, load, situationOf } from './load.ts';
import { purge } from './purge.ts';
import { recordBuild } from './record-build.ts';
import { restart } from './restart.ts';
import { reschedule, startExecution, takeSlot } from './slots.ts';
import { cancelTask, releaseTask } from './tasks.ts';
import { answerToken, failLostBuild, interruptSlotRevision } from './tokens.ts';

/** A round trip through every stage takes fewer; more means two steps undo each other, which must be seen. */
const STEPS_MAX = 25;

type Looking = {
  asking: boolean;
  /** The control plane has just been started. */
  isStart?: boolean;
  /** As for `load`. */
  likely?: number | undefined;
  /** Called before records of a deleted deployment are removed, with the number of its latest revision. */
  beforePurge?: (latestNumber: number) => Promise<void>;
};

/**
 * Brings one deployment as far as it can go now. Level-triggered: it reads how things are, does the one thing
 * the rule names, reads again, until there is nothing to do. `asking` (sweep) also asks the workflow and the
 * builds, and re-arms what is due. Gives the number of the revision in the slot, when there is nothing more
 * to do. Throws what a question failed with once everything else is done.
 */
export async function reconcile(
  deps: EngineDeps,
  owner: DeploymentRef,
  { asking, isStart = false, likely, beforePurge }: Looking,
): Promise<number | undefined> {
  let asks = asking;
  let number = likely;
  let unanswered: Error | undefined;
  const onFailed = (error: unknown): void => {
    unanswered ??= error instanceof Error ? error : new Error(String(error));
  };
  const questions = { isStart, onFailed };
  for (let step = 0; step < STEPS_MAX; step++) {
    const loaded = await load(deps, owner, number);
    if (loaded === undefined) return undefined;
    const { action, asked } = await nextAction(deps, loaded, asks ? questions : undefined);
    if (action.do === 'nothing' || action.do === 'drive') {
      if (asking && (await reschedule(deps, loaded, asked)) === 'changed') continue;
      if (action.do === 'drive') await deps.computeDriver?.wake(owner);
      if (unanswered !== undefined) throw unanswered;
      return loaded.slotRevision?.number;
    }
    number = action.do === 'take_slot' ? action.number : loaded.slotRevision?.number;
    if (action.do === 'purge') await beforePurge?.(loaded.deployment.latest_number);
    const done = await perform(deps, loaded, action);
    if (done === 'later') return undefined;
    // Nobody waits for the token: only asking tells whether its execution went on or died.
    if (done === 'gone') asks = true;
    // Its first step's write calls us again; until then every look would only start it once more.
    if (action.do === 'start_execution' && !asks) return undefined;
  }
  throw new Error(`deployment ${owner.deploymentId} does not come to rest`);
}

/** What the rule says to do next; without `questions` nothing but the table is asked. */
async function nextAction(
  deps: EngineDeps,
  loaded: Loaded,
  questions: Questions | undefined,
): Promise<{ action: Action; asked: Asked }> {
  const decided = (asked: Asked) => ({
    action: decide(situationOf(loaded, asked, deps.clock.now(), deps.settings)),
    asked,
  });
  const unasked = decided(notAsked);
  if (questions === undefined || followsFromTime(unasked.action)) return unasked;
  return decided(await ask(deps, loaded, questions));
}

/** Nobody waited for an answer, or the rest is for another call. */
type Special = 'gone' | 'later';

/** What brings the deployment forward. */
type Writing = Exclude<Action, { do: 'nothing' | 'drive' }>;

/** A lost race is no error: the next look sees what the winner wrote. */
async function perform(deps: EngineDeps, loaded: Loaded, action: Writing): Promise<'done' | Special> {
  try {
    return (await act(deps, loaded, action)) ?? 'done';
  } catch (error) {
    if (error instanceof ConditionsFailed || error instanceof MoveRefused) return 'done';
    throw error;
  }
}

async function act(deps: EngineDeps, loaded: Loaded, action: Writing): Promise<Special | undefined> {
  switch (action.do) {
    case 'interrupt':
      return interruptSlotRevision(deps, loaded);
    case 'answer_token':
      return answerToken(deps, loaded);
    case 'fail_lost_build':
      return failLostBuild(deps, loaded);
    case 'purge':
      return purgeWithDriver(deps, loaded);
    default:
      await carryOut(deps, loaded, action);
      return undefined;
  }
}

/**
 * Where nobody waited for what runs to be removed, its driver removes it still: woken before the records go,
 * so that it cannot be forgotten, and after them, when what it has to confirm is there.
 */
async function purgeWithDriver(deps: EngineDeps, loaded: Loaded): Promise<Special | undefined> {
  const isForced = loaded.deletion?.forced === true && isManaged(loaded.deployment);
  if (isForced) await deps.computeDriver?.wake(loaded.owner);
  const done = await purge(deps, loaded);
  if (isForced && done === undefined) await deps.computeDriver?.wake(loaded.owner);
  return done;
}

type Plain = Exclude<Writing, { do: 'interrupt' | 'answer_token' | 'fail_lost_build' | 'purge' }>;

async function carryOut(deps: EngineDeps, loaded: Loaded, action: Plain): Promise<void> {
  switch (action.do) {
    case 'take_slot':
      return takeSlot(deps, loaded, action.number);
    case 'start_execution':
      return startExecution(deps, loaded);
    case 'restart':
      return restart(deps, loaded, action.isDeath);
    case 'offer_task':
      return offerTask(deps, loaded);
    case 'mark_unknown':
      return markUnknown(deps, loaded);
    case 'release_task':
      return releaseTask(deps, loaded);
    case 'cancel_task':
      return cancelTask(deps, loaded);
    case 'fail_unclaimed':
      return failUnclaimed(deps, loaded);
    case 'fail_silent':
      return failSilent(deps, loaded);
    case 'read_build':
      return readBuild(deps, loaded);
    case 'fail_build_overdue':
      return failBuildOverdue(deps, loaded);
    case 'fail_aborted':
      return failAborted(deps, loaded);
    case 'end':
      return end(deps, loaded);
    case 'end_queued':
      return endQueued(deps, loaded);
    case 'request_interrupt':
      return interruptForDeletion(deps, loaded);
    case 'take_slot_to_delete':
      return takeSlotToDelete(deps, loaded);
    case 'offer_deletion':
      return offerDeletion(deps, loaded);
    case 'offer_deletion_again':
      return offerDeletionAgain(deps, loaded);
  }
}

async function readBuild(deps: EngineDeps, { slotRevision }: Loaded): Promise<void> {
  if (slotRevision?.build_id === undefined) return;
  const build = { buildId: slotRevision.build_id, ref: refOf(slotRevision) };
  await recordBuild(deps, build, { isLook: true });
}

/** No execution goes on with the revision: it ends by the facts on it. */
async function end(deps: EngineDeps, { slotRevision }: Loaded): Promise<void> {
  if (slotRevision !== undefined) await endRevision(deps, refOf(slotRevision));
}
