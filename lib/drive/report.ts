import { REASON_CHARACTERS_MAX, type ReportStep, SILENT } from '../compute/runner.ts';
import { lookAtManaged } from '../core/engine/transactions/looks.ts';
import { findDeployment } from '../core/items/deployments.ts';
import { describeFailure } from '../domain/agent-failure.ts';
import { type Goal, mainOf, type TaskOutcome } from '../domain/rollout.ts';
import { completeTask } from '../features/listener-protocol/complete.ts';
import { reportStatus } from '../features/listener-protocol/status.ts';
import { shipTaskLogs } from '../features/listener-protocol/task-logs.ts';
import { ConditionsFailed } from '../store/dynamodb/transact.ts';
import { write } from '../store/dynamodb/write.ts';
import { isTaken, leaseOf } from './assignment.ts';
import type { DriveDeps, Run } from './run.ts';

// What a run reports to the control plane, through the verbs of the listener protocol.

type TaskReport = { outcome: TaskOutcome; status_message?: string; previous_serving?: boolean };

const MESSAGE_CHARACTERS_MAX = 8_192;

/** Reports how the task in hand ended. False: it had ended before, or is another run's. */
export async function completeTaskInHand(deps: DriveDeps, run: Run, report: TaskReport): Promise<boolean> {
  const { held, listener, ref, deployment } = run;
  if (held.kind === 'none' || deployment === undefined) return false;
  const { taskId, leaseId } = leaseOf(held);
  const isUp = held.kind === 'deploy' && report.outcome === 'succeeded';
  const body = {
    lease_id: leaseId,
    ...report,
    ...(isUp && { url: run.compute.address() }),
  };
  const params = { listener_id: listener.id, task_id: taskId };
  try {
    return (await completeTask(deps, { params, body }, ref)).accepted;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
}

/** Reports how a deploy or a removal ended. What is left to do then is done without the task. */
export async function reportOutcome(deps: DriveDeps, run: Run, step: ReportStep): Promise<'again' | 'done'> {
  const { held, task } = run;
  const failure = step.outcome === 'failed' && {
    status_message: describeFailure(step.failure).slice(0, MESSAGE_CHARACTERS_MAX),
    previous_serving: step.previousServing,
  };
  if (!(await completeTaskInHand(deps, run, { outcome: step.outcome, ...failure }))) return 'done';
  if (held.kind !== 'deploy' || task === undefined) return 'done';
  run.task = { ...task, reported: step.outcome };
  // Each end of a task raises the epoch.
  run.held = { kind: 'none', epoch: held.task.epoch + 1 };
  return 'again';
}

/** Fails a deploy for a reason that the rule does not know. */
export async function failDeploy(deps: DriveDeps, run: Run, message: string): Promise<void> {
  const { found } = run;
  await completeTaskInHand(deps, run, {
    outcome: 'failed',
    status_message: message.slice(0, MESSAGE_CHARACTERS_MAX),
    ...(found !== undefined && { previous_serving: (servingIn(run)?.ready ?? 0) > 0 }),
  });
}

const servingIn = ({ found }: Run) => found?.sets.find(({ key }) => key === mainOf(found.traffic));

/** A line for the deploy log, unless it was the last one. */
export async function writeLine(deps: DriveDeps, run: Run, message: string | undefined): Promise<void> {
  const { held, listener, ref } = run;
  if (message === undefined || message === run.lastLine || held.kind !== 'deploy') return;
  run.lastLine = message;
  const { taskId, leaseId } = leaseOf(held);
  const params = { listener_id: listener.id, task_id: taskId };
  const line = { timestamp: deps.clock.now(), level: 'INFO' as const, message };
  const body = { lease_id: leaseId, lines: [line] };
  await shipTaskLogs(deps, { params, body }, ref).catch((error: unknown) => {
    // The run hears of it before it changes anything more.
    if (!isTaken(error)) throw error;
  });
}

/**
 * Reports what really runs, while there is no task. `problem`: why that cannot be brought to what shall run.
 */
export async function reportHealth(
  deps: DriveDeps,
  run: Run,
  { goal, problem }: { goal?: Goal; problem?: string },
): Promise<void> {
  const { held, listener, ref, wanted, deployment } = run;
  if (held.kind !== 'none' || run.task !== undefined) return;
  const serving = servingIn(run);
  const isGoal = goal !== undefined && goal !== 'nothing' && serving?.key === goal.key;
  const revision_id = wanted === 'nothing' || !isGoal ? null : wanted.revision_id;
  const healthy = isGoal && serving.ready > 0;
  const reason =
    healthy || wanted === 'nothing' ? undefined : (problem ?? SILENT).slice(0, REASON_CHARACTERS_MAX);
  const url = deployment && run.compute.address();
  const one = { deployment_id: ref.deploymentId, epoch: held.epoch, revision_id, healthy, reason, url };
  await reportStatus(deps, { params: { listener_id: listener.id }, body: { reports: [one] } }, ref);
}

/**
 * Has sweep check the deployment at `at` (epoch milliseconds) if that is before it would; `never`: nothing of
 * it runs or shall run. While a revision or a deletion is at work, sweep checks it anyway.
 */
export async function scheduleCheck({ table }: DriveDeps, run: Run, at: number | 'never'): Promise<void> {
  const { ref, held } = run;
  const now = await findDeployment(table, ref.tenantId, ref.deploymentId);
  if (now === undefined || now.slot !== undefined || now.task_id !== undefined || now.queued.length > 0)
    return;
  if (held.kind !== 'none' || now.epoch !== held.epoch) return;
  if (at === 'never' ? now.due_at === undefined : at >= (now.due_at ?? Number.POSITIVE_INFINITY)) return;
  try {
    await write(table, lookAtManaged(now, at === 'never' ? undefined : at));
  } catch (error) {
    // Something has begun, or somebody asked for a check: that one finds out.
    if (!(error instanceof ConditionsFailed)) throw error;
  }
}
