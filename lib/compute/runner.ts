import { decideRollout, type Goal, mainOf, type Seen, type Step, type Task } from '../domain/rollout.ts';
import { type Compute, ComputeRefused, type Found, type FoundSet, type Plan, type Say } from './port.ts';

/** Look again at once, or a little later. */
export type Soon = 'again' | 'later';

/** One look: what is there, and what the rule of rollouts is told of it. */
export type Looked<P extends Plan> = { found: Found; plan: P | 'nothing'; goal: Goal; seen: Seen };

/**
 * Who has a deployment in hand: a task of the control plane, or only that what shall run is kept. `N` is what
 * its steps come to, for whoever calls the runner.
 */
export type Hand<P extends Plan, N> = {
  now(): number;
  /** What shall run, asked when it is known what is there. Throws ComputeRefused for what cannot run here. */
  plan(found: Found): Promise<P | 'nothing'>;
  /** Hears of each look before its step is decided. `again`: something else shall run by now. */
  looked?(looked: Looked<P>): Promise<'again' | undefined>;
  /** Read right before a step is decided. */
  task(): Task;
  /** Asked right before each change: whatever is not `go` is done instead. */
  mayChange(): Promise<'go' | Soon | N>;
  /** Asks whether traffic may move. */
  announce(looked: Looked<P>): Promise<Soon | N>;
  report(step: ReportStep, looked: Looked<P>): Promise<Soon | N>;
  /** Nothing is to be done until then, or until something changes. `why`: for a person. */
  rest(looked: Looked<P>, until: number | undefined, why: string | undefined): Promise<Soon | N>;
  say: Say;
};

export type ReportStep = Extract<Step, { do: 'report' }>;
type Change = Exclude<Step, { do: 'wait' | 'nothing' | 'announce' | 'report' }>;

/** One step of a rollout: looks, has the rule of all rollouts decide, and does what that names. */
export async function advance<P extends Plan, N>(compute: Compute<P>, hand: Hand<P, N>): Promise<Soon | N> {
  const found = await compute.look();
  const plan = await hand.plan(found);
  const goal = goalOf(plan, found);
  const looked = { found, plan, goal, seen: await seenBy(compute, found, goal) };
  const stale = await hand.looked?.(looked);
  if (stale !== undefined) return stale;
  return perform(compute, hand, decideRollout(looked.seen, goal, hand.task(), hand.now()), looked);
}

export async function perform<P extends Plan, N>(
  compute: Compute<P>,
  hand: Hand<P, N>,
  step: Step,
  looked: Looked<P>,
): Promise<Soon | N> {
  switch (step.do) {
    case 'wait':
      return hand.rest(looked, step.until, step.say);
    case 'nothing':
      return hand.rest(looked, undefined, undefined);
    case 'announce':
      return hand.announce(looked);
    case 'report':
      return hand.report(step, looked);
    default: {
      const right = await hand.mayChange();
      return right === 'go' ? change(compute, hand, step, looked) : right;
    }
  }
}

async function change<P extends Plan, N>(
  compute: Compute<P>,
  hand: Hand<P, N>,
  step: Change,
  looked: Looked<P>,
): Promise<Soon> {
  switch (step.do) {
    case 'create':
      return create(compute, hand, step, looked);
    case 'scale':
      await compute.scale(step.key, step.wanted);
      return 'again';
    case 'revive':
      await compute.revive(step.key, step.wanted, noteOf(step.key, looked));
      return 'again';
    case 'move': {
      const key = mainOf(step.to);
      await compute.move(step.to, noteOf(key, looked));
      await hand.say(`Traffic moved to set ${key}.`);
      return 'again';
    }
    case 'retire':
      await compute.retire(step.key, hand.now());
      return 'again';
    case 'remove':
      return (await compute.remove(step.key)) === 'done' ? 'again' : 'later';
    case 'stop_traffic':
      await compute.stopTraffic();
      return 'again';
  }
}

/** Only the set that shall run is its revision's: traffic may also go back to the one before. */
const noteOf = <P extends Plan>(key: string | undefined, { plan, goal }: Looked<P>) =>
  plan !== 'nothing' && goal !== 'nothing' && goal.key === key ? { revisionId: plan.revisionId } : {};

async function create<P extends Plan, N>(
  compute: Compute<P>,
  hand: Hand<P, N>,
  { key, wanted, served }: Extract<Step, { do: 'create' }>,
  { found, plan }: Looked<P>,
): Promise<Soon> {
  if (plan === 'nothing') throw new Error('A set is to be made, and nothing shall run');
  // It comes back under the same key once what ran under it is gone.
  if (found.sets.some((set) => set.key === key && set.isLeaving)) {
    await hand.say('The set that ran this before still ends its servers.');
    return (await compute.remove(key)) === 'done' ? 'again' : 'later';
  }
  if (plan.hindrance !== undefined) throw new ComputeRefused(plan.hindrance);
  await compute.create({ ...plan, key, wanted, served }, hand.say);
  for (const remark of plan.remarks ?? []) await hand.say(remark);
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
