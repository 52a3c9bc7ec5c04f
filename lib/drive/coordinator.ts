import type { ServerPlan } from '../compute/managed.ts';
import type { Found } from '../compute/port.ts';
import {
  type Coordinator,
  type Look as LookOf,
  type ReportStep,
  runStep,
  type Soon,
} from '../compute/runner.ts';
import { findComputeUse, noteComputeUse } from '../core/items/compute-use.ts';
import { mainOf, type Step } from '../domain/rollout.ts';
import { mayGoOn } from './assignment.ts';
import { completeTaskInHand, reportHealth, reportOutcome, scheduleCheck, writeLine } from './report.ts';
import type { DriveDeps, Run } from './run.ts';
import { serverPlanOf } from './server-plan.ts';

/** `ill`: what shall run does not answer. `next`: go on to what else there is to do. `done`: the run ends. */
export type End = 'ill' | 'next' | 'done';

type Look = LookOf<ServerPlan>;

/** A run's part in each step: what it asks the control plane, and reports to it. */
export function coordinatorOf(deps: DriveDeps, run: Run): Coordinator<ServerPlan, End> {
  const coordinator: Coordinator<ServerPlan, End> = {
    now: () => deps.clock.now(),
    plan: async (found) => {
      run.found = found;
      await noteUse(deps, run, found);
      const { wanted, listener, given, held } = run;
      if (wanted === 'nothing') return wanted;
      const serving = found.sets.find(({ key }) => key === mainOf(found.traffic));
      const replaces = serving !== undefined && serving.revisionId !== wanted.revision_id;
      return serverPlanOf(wanted, { listener, given, byTask: held.kind === 'deploy', replaces });
    },
    task: () => run.task,
    mayChange: () => mayChange(deps, run),
    announce: (look) => announce(deps, run, look),
    report: (step, look) => {
      const again = onceMore(step, run, look);
      return again === undefined
        ? reportOutcome(deps, run, step)
        : runStep(run.compute, coordinator, again, look);
    },
    idle: async (look, until, why) => {
      await writeLine(deps, run, why);
      return idle(deps, run, look, until);
    },
    say: (line) => writeLine(deps, run, line),
  };
  return coordinator;
}

/** Each change is made under the lease, which is asked for right before. */
async function mayChange(deps: DriveDeps, run: Run): Promise<'go' | 'again' | 'done'> {
  const right = await mayGoOn(deps, run);
  if (right === 'lost') return 'done';
  if (right === 'go' || run.task === undefined || run.task.grant === 'refused') return 'go';
  run.task = { ...run.task, grant: 'refused' };
  return 'again';
}

/** An interrupt that came meanwhile wins. */
async function announce(deps: DriveDeps, run: Run, look: Look): Promise<'again' | 'done'> {
  await logWhereItPrints(deps, run, look);
  const right = await mayGoOn(deps, run, 'switching');
  if (right === 'lost' || run.task === undefined) return 'done';
  run.task = { ...run.task, grant: right === 'go' ? 'granted' : 'refused' };
  return 'again';
}

/** A set that is taken over from another revision goes on printing to the log of that one. */
async function logWhereItPrints(deps: DriveDeps, run: Run, { found, plan, goal }: Look): Promise<void> {
  if (plan === 'nothing' || goal === 'nothing') return;
  const startedFor = found.sets.find(({ key }) => key === goal.key)?.startedFor;
  if (startedFor === undefined || startedFor === plan.revisionId) return;
  const line = `Set ${goal.key} still runs from revision ${startedFor}: what its servers print is in the log of that revision.`;
  await writeLine(deps, run, line);
}

/**
 * Why a set could not be made in its time is known only from the call that makes it, which an earlier run has
 * heard. So it is tried once more, and fails the deploy in those words.
 */
function onceMore(step: ReportStep, run: Run, { goal, seen: { sets } }: Look): Step | undefined {
  if (step.outcome !== 'failed' || step.failure.kind !== 'deadline') return undefined;
  if (goal === 'nothing' || run.hasTriedLate || sets.some(({ key }) => key === goal.key)) return undefined;
  run.hasTriedLate = true;
  return { do: 'create', key: goal.key, wanted: step.failure.wanted, served: false };
}

/**
 * Nothing is to be done now. What is on its way out is helped along; a deploy that waits is checked again
 * soon; otherwise the run ends, and reports how things are and when the next one should check.
 */
async function idle(
  deps: DriveDeps,
  run: Run,
  { found, goal }: Look,
  until: number | undefined,
): Promise<Soon | End> {
  const leaving = found.sets.filter(({ isLeaving }) => isLeaving);
  for (const { key } of leaving) {
    if ((await mayGoOn(deps, run)) !== 'go') return 'done';
    await run.compute.remove(key);
  }
  if (run.held.kind === 'stopping') {
    await completeTaskInHand(deps, run, { outcome: 'stopped' });
    return 'next';
  }
  // Each event of a server wakes another run: this one ends when it has taken over.
  if (run.held.kind === 'deploy') return (await mayGoOn(deps, run)) === 'lost' ? 'done' : 'later';
  if (leaving.length > 0) return 'later';
  if (run.task !== undefined && run.task.reported !== 'succeeded') return 'next';
  await reportHealth(deps, run, { goal });
  // Nothing tells when a server that was started again answers.
  if (goal !== 'nothing' && !isUp(found, goal.key)) return 'ill';
  if (goal === 'nothing') await scheduleCheck(deps, run, 'never');
  else if (until !== undefined) await scheduleCheck(deps, run, until);
  return 'done';
}

const isUp = ({ sets, traffic }: Found, goalKey: string): boolean =>
  mainOf(traffic) === goalKey && sets.some(({ key, ready }) => key === goalKey && ready > 0);

/** A count that did not change is noted again after so long: by then it says that somebody still counts. */
const NOTED_AGAIN_MILLISECONDS = 15 * 60_000;

/**
 * Notes how much of what the balancer has is in use, when a check finds another number than is noted. Read
 * once in a run, and written when it changes.
 */
async function noteUse({ table, clock }: DriveDeps, run: Run, { inUse }: Found): Promise<void> {
  if (inUse === undefined || run.compute.quotas === undefined) return;
  const now = clock.now();
  run.use ??= { noted: await findComputeUse(table) };
  const { noted } = run.use;
  const { targetGroups, rules } = inUse;
  const isSame = noted?.target_groups.in_use === targetGroups && noted.rules.in_use === rules;
  if (isSame && now - noted.at < NOTED_AGAIN_MILLISECONDS) return;
  const quotas = await run.compute.quotas();
  const use = {
    at: now,
    target_groups: { in_use: targetGroups, quota: quotas.targetGroups },
    rules: { in_use: rules, quota: quotas.rules },
  };
  await noteComputeUse(table, use);
  run.use = { noted: { v: 1, entity: 'compute_use', ...use } };
}
