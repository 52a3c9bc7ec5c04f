import { decideRollout, type Goal, type Seen, type Step, type Task } from '../../../lib/domain/rollout.ts';
import type { Fate, Story } from './rollout-stories.ts';
import { World } from './rollout-world.ts';

/** A step that is about to be done, with what is seen and what is true. */
export type Turn = {
  seen: Seen;
  goal: Goal;
  task: Task;
  now: number;
  step: Step;
  fate: Fate;
  isGranted: boolean;
  /** From which set the task in hand has moved the traffic. */
  movedFrom: string | undefined;
  /** When the set that the step removes had its last request; undefined: it never had one. */
  lastServedAt: number | undefined;
};

/** Once nothing happens any more, this many steps are enough for all that is left to do. */
const STEPS_MAX = 120;

function turn(world: World, fate: Fate): Turn {
  const { seen, goal, task, now, memory } = world;
  const step = decideRollout(seen, goal, task, now);
  const set = step.do === 'remove' ? world.sets.get(step.key) : undefined;
  const taken = {
    ...{ seen, goal, task, now, step, fate },
    isGranted: memory?.offer.switching === true,
    movedFrom: memory && world.movedFrom.get(memory.offer.id),
    lastServedAt: set?.hadTraffic === true ? set.leftAt : undefined,
  };
  world.perform(step, fate);
  return taken;
}

type Run = { turns: Turn[]; world: World };

/** Steps until one of that kind is done, or until it does not depend on the decider. */
function runUntil(world: World, until: Step['do'], turns: Turn[]): void {
  for (let steps = 0; steps < 12; steps += 1) {
    world.claim();
    const taken = turn(world, 'done');
    turns.push(taken);
    const { do: done } = taken.step;
    if (done === until || done === 'nothing' || (done === 'wait' && !world.settle())) return;
  }
}

/** Lets happen what is to happen, then lets the world come to rest. */
export function run(story: Story): Run {
  const world = new World(story);
  const turns: Turn[] = [];
  for (const event of story.events) {
    if (event.do === 'step') turns.push(turn(world, event.fate));
    else if (event.do === 'run') runUntil(world, event.until, turns);
    else world.happen(event);
  }
  const eventful = turns.length;
  for (;;) {
    if (turns.length - eventful > STEPS_MAX) throw new Error('it does not come to rest');
    if (world.memory === undefined) world.claim();
    const taken = turn(world, 'done');
    turns.push(taken);
    const { step, task } = taken;
    if (step.do === 'nothing' && world.isIdle && task === undefined) break;
    if (step.do !== 'wait' && step.do !== 'nothing') continue;
    if (world.settle()) continue;
    if (step.do === 'wait') world.now = step.until ?? Number.NaN;
  }
  return { turns, world };
}
