import { AgentSecretsUnreadable } from '../adapters/agent-secrets.ts';
import type { ManagedCompute } from '../compute/managed.ts';
import type { Found } from '../compute/port.ts';
import type { Deps } from '../core/deps.ts';
import type { ComputeUse } from '../core/items/compute-use.ts';
import type { Task } from '../domain/rollout.ts';
import type { Assignment, AssignmentDeps } from './assignment.ts';
import { type GivenVariables, START_SECONDS } from './server-plan.ts';

export type DriveDeps = AssignmentDeps & Pick<Deps, 'logs' | 'agentSecrets'> & { compute: ManagedCompute };

/** An assignment, and what a run knows of it by now. */
export type Run = Assignment & {
  compute: ReturnType<ManagedCompute>;
  /** What the last check found; undefined: it failed. */
  found: Found | undefined;
  /** The task as the rule of rollouts knows it; undefined: what shall run is only kept. */
  task: Task;
  /** The last line that it wrote to the deploy log. */
  lastLine: string | undefined;
  /** Its set could not be made in its time, and was tried once more. */
  hasTriedLate: boolean;
  /** What the installation gives to servers, as it was when the run began. */
  given: GivenVariables;
  /** What is noted of how full the balancer is; undefined: not read yet. */
  use?: { noted: ComputeUse | undefined };
};

export const runOf = async (
  deps: Pick<DriveDeps, 'agentSecrets' | 'compute'>,
  assignment: Assignment,
): Promise<Run> => ({
  ...assignment,
  compute: deps.compute({ ...assignment.ref, name: assignment.deployment?.name ?? '' }),
  found: undefined,
  task: taskOf(assignment),
  lastLine: undefined,
  hasTriedLate: false,
  given: assignment.wanted === 'nothing' ? {} : await givenBy(deps),
});

async function givenBy({ agentSecrets }: Pick<DriveDeps, 'agentSecrets'>): Promise<GivenVariables> {
  try {
    return { variables: await agentSecrets?.variables() };
  } catch (error) {
    if (error instanceof AgentSecretsUnreadable) return { problem: error.message };
    throw error;
  }
}

function taskOf({ held, wanted }: Assignment): Task {
  if (held.kind !== 'deploy' && held.kind !== 'removal') return undefined;
  const task = { grant: 'unasked', reported: undefined } as const;
  if (held.kind === 'removal') return { ...task, deadlineAt: Number.POSITIVE_INFINITY, timeoutSeconds: 0 };
  const given = wanted === 'nothing' ? undefined : wanted.health_check?.timeout_seconds;
  const timeoutSeconds = given ?? START_SECONDS;
  return { ...task, deadlineAt: held.offeredAt + timeoutSeconds * 1000, timeoutSeconds };
}
