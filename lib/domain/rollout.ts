import { type AgentFailure, describeFailure, mayPass } from './agent-failure.ts';

/** One set of compute objects, under a hash of what is rendered into it. Times are epoch milliseconds. */
export type ComputeSet = {
  key: string;
  /** Servers asked for. */
  wanted: number;
  /** Servers that would answer requests, as what moves the traffic sees it. */
  ready: number;
  /** Why servers are missing, where that is known. */
  failure: AgentFailure | undefined;
  /** Marked before traffic first moves to it, and for good: it may hold requests. */
  served: boolean;
  retiredAt: number | undefined;
};

/** The sets that get requests, with how many of a hundred: today one gets them all, or none does. */
export type Traffic = readonly { set: string; weight: number }[];

export const allTo = (set: string): Traffic => [{ set, weight: 100 }];

/** Key of the set that gets most of the requests; undefined: none gets any. */
export const mainOf = (traffic: Traffic): string | undefined =>
  traffic.toSorted((one, other) => other.weight - one.weight)[0]?.set;

export type Seen = { sets: ComputeSet[]; traffic: Traffic };

/** What shall run. A restart of what runs already is a goal under another key. */
export type Goal = { key: string; min: number; max: number; graceMilliseconds: number } | 'nothing';

export type TaskOutcome = 'succeeded' | 'failed' | 'stopped';

/** The task in hand; undefined: there is none, what runs is only kept as it should be. */
export type Task =
  | {
      /** What was answered to the announcement, or to any heartbeat since. After a restart: nothing yet. */
      grant: 'unasked' | 'granted' | 'refused';
      /** The outcome that was reported and accepted. */
      reported: TaskOutcome | undefined;
      deadlineAt: number;
      timeoutSeconds: number;
    }
  | undefined;

/** The next thing to do. Each may be done twice: whoever does it may be killed before it can know. */
export type Step =
  /** `served`: traffic goes to it already, so it is made with that mark. */
  | { do: 'create'; key: string; wanted: number; served: boolean }
  /** Give it so many servers; take its retirement back. Nothing else scales a set before it has traffic. */
  | { do: 'scale' | 'revive'; key: string; wanted: number }
  /** Say that traffic is about to move, and ask whether it may. */
  | { do: 'announce' }
  /** Mark the set as one that has served; then move the traffic, in one write. */
  | { do: 'move'; to: Traffic }
  | { do: 'report'; outcome: Exclude<TaskOutcome, 'failed'> }
  | { do: 'report'; outcome: 'failed'; failure: AgentFailure; previousServing: boolean }
  /** Retire: note when, and freeze how many servers it has. */
  | { do: 'retire' | 'remove'; key: string }
  | { do: 'stop_traffic' }
  /** Nothing until then, or until something changes; undefined: until something changes. */
  | { do: 'wait'; until: number | undefined; say: string | undefined }
  | { do: 'nothing' };

type View = {
  goal: Exclude<Goal, 'nothing'>;
  goalSet: ComputeSet | undefined;
  /** The set that has the traffic. */
  serving: ComputeSet | undefined;
  /** Those that are neither. */
  others: ComputeSet[];
  /** The traffic is where it shall be. */
  hasTraffic: boolean;
  now: number;
};

/**
 * The rule by which a revision replaces another, pure: bring its set up beside what serves, announce, move
 * the traffic in one write, report, retire the set before, remove it after its grace. It knows only what is
 * seen, so whatever dies in between is continued.
 */
export function decideRollout(seen: Seen, goal: Goal, task: Task, now: number): Step {
  if (goal === 'nothing') return removingAll(seen, task);
  const view = viewOf(seen, goal, now);
  const { serving } = view;
  // By hand traffic can come to a set whose time runs out.
  if (serving?.retiredAt !== undefined)
    return { do: 'revive', key: serving.key, wanted: Math.max(1, serving.wanted) };
  if (task === undefined || task.reported === 'succeeded') return keeping(view);
  if (task.reported !== undefined) return givingUp(view) ?? { do: 'nothing' };
  return deploying(view, task);
}

function viewOf({ sets, traffic: shares }: Seen, goal: View['goal'], now: number): View {
  const traffic = mainOf(shares);
  return {
    goal,
    goalSet: sets.find(({ key }) => key === goal.key),
    serving: sets.find(({ key }) => key === traffic),
    others: sets.filter(({ key }) => key !== goal.key && key !== traffic),
    hasTraffic: traffic === goal.key,
    now,
  };
}

function removingAll({ sets, traffic }: Seen, task: Task): Step {
  if (traffic.length > 0) return { do: 'stop_traffic' };
  const [set] = sets;
  if (set !== undefined) return { do: 'remove', key: set.key };
  return task !== undefined && task.reported === undefined
    ? { do: 'report', outcome: 'succeeded' }
    : { do: 'nothing' };
}

function deploying(view: View, task: NonNullable<Task>): Step {
  const { goal, goalSet, hasTraffic } = view;
  const isRefused = task.grant === 'refused';
  const before = hasTraffic ? beforeOf(view) : undefined;
  if (before !== undefined && (isRefused || !isUp(goalSet))) return { do: 'move', to: allTo(before.key) };
  if (isRefused) return givingUp(view) ?? { do: 'report', outcome: 'stopped' };
  const needed = hasTraffic ? 1 : (goalSet?.wanted ?? 1);
  const isReady = goalSet !== undefined && goalSet.ready >= needed;
  const failure = isReady ? undefined : failureOf(view, task);
  if (failure !== undefined)
    return { do: 'report', outcome: 'failed', failure, previousServing: isUp(view.serving) };
  // Once it has the traffic, what is left beside it is what served before: that stays until the report.
  const started = (hasTraffic ? undefined : tidying(view)) ?? bringingUp(view);
  if (started !== undefined) return started;
  if (!isReady) return waiting(view, task.deadlineAt);
  if (task.grant === 'unasked') return { do: 'announce' };
  return hasTraffic ? { do: 'report', outcome: 'succeeded' } : { do: 'move', to: allTo(goal.key) };
}

/** Nobody waits for it to be had: it is tried for ever. */
function keeping(view: View): Step {
  const { goal, goalSet, serving, hasTraffic } = view;
  const started = bringingUp(view);
  if (started !== undefined) return started;
  // Where nothing answers, one server is better than none.
  const needed = isUp(serving) ? (goalSet?.wanted ?? 1) : 1;
  if (!hasTraffic && goalSet !== undefined && goalSet.ready >= needed)
    return { do: 'move', to: allTo(goal.key) };
  return tidying(view) ?? waiting(view);
}

/**
 * What served before this task moved the traffic. It is not retired before the move is reported, so that
 * traffic can go back; one that is retired belongs to an earlier move.
 */
const beforeOf = ({ others }: View): ComputeSet | undefined =>
  others.find((set) => set.served && set.retiredAt === undefined && isUp(set));

const isUp = (set: ComputeSet | undefined): boolean => set !== undefined && set.ready > 0;

function bringingUp(view: View): Step | undefined {
  const { goal, goalSet, hasTraffic } = view;
  const wanted = startingCount(view);
  if (goalSet === undefined) return { do: 'create', key: goal.key, wanted, served: hasTraffic };
  const more = Math.max(goalSet.wanted, wanted);
  if (goalSet.retiredAt !== undefined) return { do: 'revive', key: goal.key, wanted: more };
  // What serves may have grown meanwhile.
  return !hasTraffic && goalSet.wanted < wanted ? { do: 'scale', key: goal.key, wanted } : undefined;
}

/** As many as serve now: the traffic of ten servers must not come to one. */
function startingCount({ goal, serving }: View): number {
  return Math.max(1, goal.min, Math.min(goal.max, serving?.ready ?? 0));
}

/** Takes back what a deploy has brought up; what has served for a moment gets its grace. */
function givingUp({ goalSet, hasTraffic }: View): Step | undefined {
  if (goalSet === undefined || hasTraffic || goalSet.retiredAt !== undefined) return undefined;
  return { do: goalSet.served ? 'retire' : 'remove', key: goalSet.key };
}

/** Clears what is neither wanted nor serves. */
function tidying({ others, goal, now }: View): Step | undefined {
  for (const { key, served, retiredAt } of others) {
    if (retiredAt === undefined) return { do: served ? 'retire' : 'remove', key };
    if (now >= retiredAt + goal.graceMilliseconds) return { do: 'remove', key };
  }
  return undefined;
}

function failureOf(view: View, task: NonNullable<Task>): AgentFailure | undefined {
  const { goalSet, now } = view;
  // What a retired set suffers from may be that nobody cared for it.
  const failure = goalSet?.retiredAt === undefined ? goalSet?.failure : undefined;
  if (failure !== undefined && !mayPass(failure)) return failure;
  if (now < task.deadlineAt) return undefined;
  return {
    kind: 'deadline',
    timeoutSeconds: task.timeoutSeconds,
    ready: goalSet?.ready ?? 0,
    wanted: goalSet?.wanted ?? startingCount(view),
    cause: failure,
  };
}

function waiting({ goal, goalSet, hasTraffic, others, now }: View, ...times: number[]): Step {
  const graces = others.flatMap(({ retiredAt }) => retiredAt ?? []).map((at) => at + goal.graceMilliseconds);
  const later = [...times, ...graces].filter((time) => time > now);
  const until = later.length === 0 ? undefined : Math.min(...later);
  if (until === undefined && hasTraffic && isUp(goalSet)) return { do: 'nothing' };
  const failure = isUp(goalSet) && hasTraffic ? undefined : goalSet?.failure;
  return { do: 'wait', until, say: failure && describeFailure(failure) };
}
