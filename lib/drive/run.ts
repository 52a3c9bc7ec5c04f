import { AgentSecretsUnreadable } from '../adapters/agent-secrets.ts';
import type { ManagedCompute } from '../compute/managed.ts';
import type { Found } from '../compute/port.ts';
import type { Deps } from '../core/deps.ts';
import type { ComputeUse } from '../core/items/compute-use.ts';
import type { Task } from '../domain/rollout.ts';
import type { Given } from './server-plan.ts';
import type { Held, Work, WorkDeps } from './work.ts';

export type RunDeps = WorkDeps & Pick<Deps, 'logs' | 'agentSecrets'> & { compute: ManagedCompute };

/** What a run knows beside what it finds. */
export type Run = Work & {
  compute: ReturnType<ManagedCompute>;
  /** What the last look found; undefined: it failed. */
  found: Found | undefined;
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

/** Pulling a large image, and finding room for it, takes minutes. */
const START_TIMEOUT_SECONDS = 600;
export const runOf = async (deps: Pick<RunDeps, 'agentSecrets' | 'compute'>, work: Work): Promise<Run> => ({
  ...work,
  compute: deps.compute({ ...work.place, name: work.deployment?.name ?? '' }),
  found: undefined,
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
