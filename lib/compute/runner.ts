import { decideRollout, type Goal, mainOf, type Seen, type Step, type Task } from '../domain/rollout.ts';
import { type Compute, ComputeRefused, type Found, type FoundSet, type Plan, type Say } from './port.ts';

/** Look again at once, or a little later. */
export type Soon = 'again' | 'later';

/** One look: what is there, and what the rule of rollouts is told of it. */
export type Look<P extends Plan> = { found: Found; plan: P | 'nothing'; goal: Goal; seen: Seen };

/**
 * Speaks with the control plane for one deployment, with a task in hand or to keep what shall run. `N` is
 * what a step may come to beside another look: for whoever calls the runner.
 */
export type Coordinator<P extends Plan, N> = {
  now(): number;
  /** What shall run, asked when it is known what is there. Throws ComputeRefused for what cannot run here. */
  plan(found: Found): Promise<P | 'nothing'>;
  /** Hears of each look before its step is decided. `again`: something else shall run by now. */
  onLook?(look: Look<P>): Promise<'again' | undefined>;
  /** Read right before a step is decided. */
  task(): Task;
  /** Asked right before each change: whatever is not `go` is done instead. */
  mayChange(): Promise<'go' | Soon | N>;
  /** Asks whether traffic may move. */
  announce(look: Look<P>): Promise<Soon | N>;
  report(step: ReportStep, look: Look<P>): Promise<Soon | N>;
  /** Nothing is to be done until then, or until something changes. `why`: for a person. */
  idle(look: Look<P>, until: number | undefined, why: string | undefined): Promise<Soon | N>;
  say: Say;
};

/** Why a deployment is not healthy, where nothing more is known. */
export const SILENT = 'No server answers as one that is ready.';
/** A longer reason is cut off: the listener protocol takes no more. */
export const REASON_CHARACTERS_MAX = 2_000;

export type ReportStep = Extract<Step, { do: 'report' }>;
type Change = Exclude<Step, { do: 'wait' | 'nothing' | 'announce' | 'report' }>;

/** Takes one step of a rollout: looks, asks the rule of all rollouts, and does what that names. */
export async function advance<P extends Plan, N>(
  compute: Compute<P>,
  coordinator: Coordinator<P, N>,
): Promise<Soon | N> {
  const found = await compute.look();
  const plan = await coordinator.plan(found);
  const goal = goalOf(plan, found);
  const look = { found, plan, goal, seen: await seenBy(compute, found, goal) };
  const stale = await coordinator.onLook?.(look);
  if (stale !== undefined) return stale;
  const step = decideRollout(look.seen, goal, coordinator.task(), coordinator.now());
  return runStep(compute, coordinator, step, look);
}

/** Does what the rule names. */
export async function runStep<P extends Plan, N>(
  compute: Compute<P>,
  coordinator: Coordinator<P, N>,
  step: Step,
  look: Look<P>,
): Promise<Soon | N> {
  switch (step.do) {
    case 'wait':
      return coordinator.idle(look, step.until, step.say);
    case 'nothing':
      return coordinator.idle(look, undefined, undefined);
    case 'announce':
      return coordinator.announce(look);
    case 'report':
      return coordinator.report(step, look);
    default: {
      const right = await coordinator.mayChange();
      return right === 'go' ? change(compute, coordinator, step, look) : right;
    }
  }
}

async function change<P extends Plan, N>(
  compute: Compute<P>,
  coordinator: Coordinator<P, N>,
  step: Change,
  look: Look<P>,
): Promise<Soon> {
  switch (step.do) {
    case 'create':
      return create(compute, coordinator, step, look);
    case 'scale':
      await compute.scale(step.key, step.wanted);
      return 'again';
    case 'revive':
      await compute.revive(step.key, step.wanted, noteOf(step.key, look));
      return 'again';
    case 'move': {
      const key = mainOf(step.to);
      await compute.move(step.to, noteOf(key, look));
      await coordinator.say(`Traffic moved to set ${key}.`);
      return 'again';
    }
    case 'retire':
      await compute.retire(step.key, coordinator.now());
      return 'again';
    case 'remove':
      return (await compute.remove(step.key)) === 'done' ? 'again' : 'later';
    case 'stop_traffic':
      await compute.stopTraffic();
      return 'again';
  }
}

/** Only the set that shall run is its revision's: traffic may also go back to the one before. */
const noteOf = <P extends Plan>(key: string | undefined, { plan, goal }: Look<P>) =>
  plan !== 'nothing' && goal !== 'nothing' && goal.key === key ? { revisionId: plan.revisionId } : {};

async function create<P extends Plan, N>(
  compute: Compute<P>,
  coordinator: Coordinator<P, N>,
  { key, wanted, served }: Extract<Step, { do: 'create' }>,
  { found, plan }: Look<P>,
): Promise<Soon> {
  if (plan === 'nothing') throw new Error('A set is to be made, and nothing shall run');
  // It comes back under the same key once what ran under it is gone.
  if (found.sets.some((set) => set.key === key && set.isLeaving)) {
    await coordinator.say('The set that ran this before still ends its servers.');
    return (await compute.remove(key)) === 'done' ? 'again' : 'later';
  }
  if (plan.hindrance !== undefined) throw new ComputeRefused(plan.hindrance);
  await compute.create({ ...plan, key, wanted, served }, coordinator.say);
  for (const remark of plan.remarks ?? []) await coordinator.say(remark);
  return 'again';
}

function goalOf(plan: Plan | 'nothing', found: Found): Goal {
  if (plan === 'nothing') return plan;
  const { min, max, graceMilliseconds } = plan;
  return { key: goalKeyOf(plan, found), min, max, graceMilliseconds };
}

/**
 * The key under which a revision runs, or shall: that of a set which was brought up for it, else that of its
 * content. With a task, what another revision serves already is started anew, for that is what a redeploy
 * asks for.
 */
export function goalKeyOf(
  { revisionId, keys, byTask }: Pick<Plan, 'revisionId' | 'keys' | 'byTask'>,
  { sets, traffic }: Found,
): string {
  const begun = sets.find(
    (set) => set.revisionId === revisionId && set.retiredAt === undefined && !set.isLeaving,
  );
  if (begun !== undefined) return begun.key;
  const serving = sets.find(({ key }) => key === mainOf(traffic));
  const isRestart = byTask && keys.plain === mainOf(traffic) && serving?.revisionId !== revisionId;
  return isRestart ? keys.fresh : keys.plain;
}

/**
 * What the rule sees: why servers of the set that shall run are missing; nothing of what is on its way out,
 * or of what was only begun and is to be made, unless all of it has to go.
 */
async function seenBy<P extends Plan>(
  compute: Compute<P>,
  { sets, traffic }: Found,
  goal: Goal,
): Promise<Seen> {
  const key = goal === 'nothing' ? undefined : goal.key;
  const isHidden = (set: FoundSet) => set.isLeaving || (!set.isWhole && set.key === key);
  const shown = goal === 'nothing' ? sets : sets.filter((set) => !isHidden(set));
  const seen = shown.map(async ({ key: own, wanted, ready, served, retiredAt }) => {
    const failure = own === key && ready < wanted ? await compute.failureOf(own) : undefined;
    return { key: own, wanted, ready, served, retiredAt, failure };
  });
  return { sets: await Promise.all(seen), traffic };
}
