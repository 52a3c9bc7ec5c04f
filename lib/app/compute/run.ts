import { AgentSecretsUnreadable } from '../../adapters/agent-secrets.ts';
import type { Compute, Found, FoundSet, ServerSet } from '../../adapters/compute.ts';
import type { ComputeSet, Goal, Seen, Task } from '../../domain/rollout.ts';
import type { ComputeUse } from '../../store/compute-use.ts';
import type { Deps } from '../deps.ts';
import { type Given, goalKeyOf, serverSetOf } from './server-set.ts';
import type { Held, Work, WorkDeps } from './work.ts';

export type RunDeps = WorkDeps & Pick<Deps, 'logs' | 'agentSecrets'> & { compute: Compute };

/** What a run knows beside what it finds. */
export type Run = Work & {
  /** The task as the rule of rollouts knows it; undefined: what shall run is only kept. */
  task: Task;
  /** The last line that it wrote to the deploy log. */
  said: string | undefined;
  /** Its set could not be made in its time, and was tried once more. */
  hasTriedLate: boolean;
  /** What the installation gives to servers, as it was when the run began. */
  given: Given;
  /** What is noted of how full the balancer is; undefined: not read yet. */
  use?: { noted: ComputeUse | undefined };
};

/** What shall run: as the rule knows it, and as it is made. */
export type RunGoal = { rule: Exclude<Goal, 'nothing'>; set: ServerSet; revisionId: string } | 'nothing';

/** Pulling a large image, and finding room for it, takes minutes. */
const START_TIMEOUT_SECONDS = 600;
/** What is in flight at a server that is replaced gets so long, unless its deployment says otherwise. */
const GRACE_SECONDS = 180;

export const runOf = async (deps: Pick<RunDeps, 'agentSecrets'>, work: Work): Promise<Run> => ({
  ...work,
  task: taskOf(work.held),
  said: undefined,
  hasTriedLate: false,
  given: work.wanted === 'nothing' ? {} : await givenBy(deps),
});

async function givenBy({ agentSecrets }: Pick<RunDeps, 'agentSecrets'>): Promise<Given> {
  try {
    return { variables: await agentSecrets?.variables() };
  } catch (error) {
    if (error instanceof AgentSecretsUnreadable) return { problem: error.message };
    throw error;
  }
}

function taskOf(held: Held): Task {
  if (held.kind !== 'deploy' && held.kind !== 'removal') return undefined;
  const task = { grant: 'unasked', reported: undefined } as const;
  if (held.kind === 'removal') return { ...task, deadlineAt: Number.POSITIVE_INFINITY, timeoutSeconds: 0 };
  const timeoutSeconds = START_TIMEOUT_SECONDS;
  return { ...task, deadlineAt: held.offeredAt + timeoutSeconds * 1000, timeoutSeconds };
}

/** Throws ComputeRefused for what cannot run here. */
export function goalOf({ wanted, listener, held, given }: Run, found: Found): RunGoal {
  if (wanted === 'nothing') return wanted;
  const set = serverSetOf(wanted, listener, given);
  const { revision_id: revisionId } = wanted;
  const key = goalKeyOf(set, revisionId, found, held.kind === 'deploy');
  const graceMilliseconds = (wanted.drain_seconds ?? GRACE_SECONDS) * 1000;
  return { rule: { key, min: set.min, max: set.max, graceMilliseconds }, set, revisionId };
}

/**
 * What the rule sees: why servers of the set that shall run are missing; nothing of what is on its way out,
 * or of what was only begun and is to be made, unless all of it has to go.
 */
export async function seenBy(
  { compute }: Pick<RunDeps, 'compute'>,
  { place }: Run,
  { sets, traffic }: Found,
  goal: RunGoal,
): Promise<Seen> {
  const key = goal === 'nothing' ? undefined : goal.rule.key;
  const isHidden = (set: FoundSet) => set.isLeaving || (!set.isWhole && set.key === key);
  const shown = goal === 'nothing' ? sets : sets.filter((set) => !isHidden(set));
  const seen = shown.map(async (set): Promise<ComputeSet> => {
    const isMissing = set.key === key && set.ready < set.wanted;
    const { wanted, ready, served, retiredAt } = set;
    const failure = isMissing ? await compute.failureOf(place, set.key) : undefined;
    return { key: set.key, wanted, ready, served, retiredAt, failure };
  });
  return { sets: await Promise.all(seen), traffic };
}
