import { managedComputeKinds } from '../compute/kinds.ts';
import { ComputeBusy, ComputeRefused } from '../compute/port.ts';
import { advance, type Soon } from '../compute/runner.ts';
import type { DeploymentRef } from '../contract/refs.ts';
import { findDeployment } from '../core/items/deployments.ts';
import { type Assignment, takeUp } from './assignment.ts';
import { coordinatorOf, type End } from './coordinator.ts';
import { completeTaskInHand, failDeploy, reportHealth, scheduleCheck, writeLine } from './report.ts';
import { type DriveDeps, type Run, runOf } from './run.ts';

export type { DriveDeps } from './run.ts';

/**
 * Nothing announces that a server is healthy, so it is asked for within a run. A run ends after so long, and
 * the next goes on: sweep wakes it within a minute.
 */
const RUN_MILLISECONDS = 45_000;
/** Of a deployment whose records are gone: sweep does not know of it any more. Servers take two minutes to end. */
const LAST_RUN_MILLISECONDS = 105_000;
const PAUSE_MILLISECONDS = 5_000;
/** What a run that is over has left without a task is checked again after so long. */
const LEFT_MILLISECONDS = 30_000;
/** Servers that do not answer are checked again after so long: their compute starts them again. */
const ILL_MILLISECONDS = 300_000;
/** By then a deploy had several runs after its time was over, and each was cut off. */
const HOPELESS_MILLISECONDS = 300_000;
/** What is in hand, then what is left to keep, then what is left of a deployment that was deleted meanwhile. */
const ASSIGNMENTS_A_RUN = 3;

/**
 * Brings what the installation runs of a deployment to what shall run, a step at a time: takes up its task
 * under a new lease, checks what is there, and does what the rule of all rollouts names. Whatever cuts a run
 * off, the next goes on from what it finds; an older run that is still at work ends before its next step.
 */
export async function drive(deps: DriveDeps, ref: DeploymentRef): Promise<void> {
  const startedAt = deps.clock.now();
  for (let count = 0; count < ASSIGNMENTS_A_RUN; count++) {
    const assignment = await takeUp(deps, ref);
    if (assignment === undefined) return;
    const milliseconds = assignment.deployment === undefined ? LAST_RUN_MILLISECONDS : RUN_MILLISECONDS;
    const end = await workOn(deps, await runOf(deps, assignment), startedAt + milliseconds);
    if (end === 'done' && !(await isDeletedSince(deps, assignment))) return;
  }
}

/**
 * The deletion may have come to its end between the last question for the right to change something and that
 * change: then nobody else knows of what was made.
 */
async function isDeletedSince({ table }: DriveDeps, { ref, deployment }: Assignment): Promise<boolean> {
  if (deployment === undefined) return false;
  return (await findDeployment(table, ref.tenantId, ref.deploymentId)) === undefined;
}

async function workOn(deps: DriveDeps, run: Run, endsAt: number): Promise<'next' | 'done'> {
  const { held, task } = run;
  if (held.kind === 'deploy' && deps.clock.now() >= (task?.deadlineAt ?? 0) + HOPELESS_MILLISECONDS) {
    const name = managedComputeKinds[run.listener.compute_type]?.name;
    const message = `The driver of ${name} was cut off again and again before it could say why the servers do not come up. Its log says more; then redeploy the revision.`;
    await failDeploy(deps, run, message);
    return 'done';
  }
  let next: Soon | End = 'again';
  while (deps.clock.now() < endsAt) {
    next = await takeStep(deps, run);
    if (next === 'next' || next === 'done') return next;
    if (next !== 'again') await deps.clock.wait(PAUSE_MILLISECONDS);
  }
  // Lambda calls again after an error, and nobody else would.
  if (run.deployment === undefined) throw new Error('Servers of a deployment that is deleted still end');
  await scheduleCheck(deps, run, deps.clock.now() + (next === 'ill' ? ILL_MILLISECONDS : LEFT_MILLISECONDS));
  return 'done';
}

async function takeStep(deps: DriveDeps, run: Run): Promise<Soon | End> {
  run.found = undefined;
  try {
    return await advance(run.compute, coordinatorOf(deps, run));
  } catch (error) {
    return afterError(deps, run, error);
  }
}

/**
 * What may pass is waited for, and what does not fails the deploy with its reason. Any other error is thrown,
 * so that somebody hears of it, and fails the deploy only once its time is over.
 */
async function afterError(deps: DriveDeps, run: Run, error: unknown): Promise<Soon | End> {
  const message = error instanceof Error ? error.message : String(error);
  const isKnown = error instanceof ComputeBusy || error instanceof ComputeRefused;
  if (run.held.kind === 'stopping') {
    // Later revisions wait for this: what is left is tidied up without the task.
    await completeTaskInHand(deps, run, { outcome: 'stopped' });
    if (isKnown) return 'next';
    throw error;
  }
  if (error instanceof ComputeBusy) {
    await writeLine(deps, run, `${message} It is tried again.`);
    if (run.held.kind !== 'deploy' || !isLate(deps, run)) return 'later';
  }
  const isRefused = error instanceof ComputeRefused;
  if (run.held.kind === 'deploy' && (isRefused || isLate(deps, run))) {
    await failDeploy(deps, run, isRefused ? message : lateReason(run, error, message));
    if (isRefused || error instanceof ComputeBusy) return 'done';
  }
  if (!isRefused) throw error;
  await reportHealth(deps, run, { problem: message });
  return 'done';
}

const lateReason = ({ task }: Run, error: unknown, message: string): string =>
  error instanceof ComputeBusy
    ? `Not possible within ${task?.timeoutSeconds} s. ${message}`
    : `AWS does not take it: ${message}`;

const isLate = ({ clock }: DriveDeps, { task }: Run): boolean =>
  task !== undefined && clock.now() >= task.deadlineAt;
