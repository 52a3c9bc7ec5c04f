import { type Action, decide } from '../../domain/decide.ts';
import { ConditionsFailed } from '../../store/operations.ts';
import { MoveRefused, refOf } from '../../store/revisions.ts';
import { failBuildOverdue, failSilent, failUnclaimed, markUnknown, offerTask } from './deploys.ts';
import { endRevision } from './end-revision.ts';
import { recordBuild } from './record-build.ts';
import { ask, type EngineDeps, type Loaded, load, notAsked, type Owner, situationOf } from './situation.ts';
import { rearm, startExecution, takeSlot } from './slots.ts';
import { cancelTask, releaseTask } from './tasks.ts';
import { answerToken, interruptHolder } from './tokens.ts';

/** A round trip through every stage takes fewer; more means two steps undo each other, which must be seen. */
const STEPS_MAX = 25;

/**
 * Brings one deployment as far as it can go now. Level-triggered: it reads how things are, does the one thing the rule names, reads
 * again, until there is nothing to do. `asking` (sweep) also asks the workflow and the builds, and re-arms what is due.
 */
export async function reconcile(
  deps: EngineDeps,
  owner: Owner,
  { asking }: { asking: boolean },
): Promise<void> {
  let asks = asking;
  for (let step = 0; step < STEPS_MAX; step++) {
    const loaded = await load(deps, owner);
    if (loaded === undefined) return;
    const asked = asks ? await ask(deps, loaded) : notAsked;
    const action = decide(situationOf(loaded, asked, deps.clock.now(), deps.settings));
    if (action.do === 'nothing') {
      if (!asking || (await rearm(deps, loaded)) === 'done') return;
      continue;
    }
    // Nobody waits for the token: only asking tells whether its execution went on or died.
    if ((await perform(deps, loaded, action)) === 'gone') asks = true;
    // Its first step's write calls us again; until then every look would only start it once more.
    if (action.do === 'start_execution' && !asks) return;
  }
  throw new Error(`deployment ${owner.deploymentId} does not come to rest`);
}

/** A lost race is no error: the next look sees what the winner wrote. */
async function perform(deps: EngineDeps, loaded: Loaded, action: Action): Promise<'done' | 'gone'> {
  try {
    return (await act(deps, loaded, action)) ?? 'done';
  } catch (error) {
    if (error instanceof ConditionsFailed || error instanceof MoveRefused) return 'done';
    throw error;
  }
}

async function act(deps: EngineDeps, loaded: Loaded, action: Action): Promise<'gone' | undefined> {
  switch (action.do) {
    case 'take_slot':
      await takeSlot(deps, loaded, action.number);
      return undefined;
    case 'start_execution':
      await startExecution(deps, loaded, action.nextAttempt);
      return undefined;
    case 'interrupt':
      return interruptHolder(deps, loaded);
    case 'answer_token':
      return answerToken(deps, loaded);
    case 'offer_task':
      await offerTask(deps, loaded);
      return undefined;
    case 'mark_unknown':
      await markUnknown(deps, loaded);
      return undefined;
    case 'release_task':
      await releaseTask(deps, loaded);
      return undefined;
    case 'cancel_task':
      await cancelTask(deps, loaded);
      return undefined;
    case 'fail_unclaimed':
      await failUnclaimed(deps, loaded);
      return undefined;
    case 'fail_silent':
      await failSilent(deps, loaded);
      return undefined;
    case 'read_build':
      await readBuild(deps, loaded);
      return undefined;
    case 'fail_build_overdue':
      await failBuildOverdue(deps, loaded);
      return undefined;
    case 'end':
      await end(deps, loaded);
      return undefined;
    case 'nothing':
      return undefined;
  }
}

async function readBuild(deps: EngineDeps, { holder }: Loaded): Promise<void> {
  if (holder?.build_id === undefined) return;
  await recordBuild(deps, { buildId: holder.build_id, ref: refOf(holder) });
}

/** The execution is gone: whatever it had started is stopped, then the revision ends by the facts on it. */
async function end(deps: EngineDeps, { holder }: Loaded): Promise<void> {
  if (holder === undefined) return;
  if (holder.build_id !== undefined) await deps.builds.stop(holder.build_id);
  await endRevision(deps, refOf(holder), 'the execution is gone');
}
