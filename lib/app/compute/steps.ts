import { ComputeRefused, type Found } from '../../adapters/compute.ts';
import type { Step } from '../../domain/rollout.ts';
import { complete, lookAgain, report, reportHealth, say } from './report.ts';
import type { Run, RunDeps, RunGoal } from './run.ts';
import { mayGoOn } from './work.ts';

/**
 * Look again at once, or after a pause (`ill`: until what shall run answers); go on to what else there is to
 * do; end the run.
 */
export type Next = 'again' | 'pause' | 'ill' | 'next' | 'done';

type Changing = Exclude<Step, { do: 'wait' | 'nothing' | 'announce' | 'report' }>;
type Looked = { found: Found; goal: RunGoal };

/** Does what the rule names. */
export async function perform(deps: RunDeps, run: Run, step: Step, looked: Looked): Promise<Next> {
  switch (step.do) {
    case 'wait':
      await say(deps, run, step.say);
      return rest(deps, run, looked, step.until);
    case 'nothing':
      return rest(deps, run, looked, undefined);
    case 'announce':
      return announce(deps, run, looked);
    case 'report':
      return report(deps, run, step);
    default:
      return changing(deps, run, step, looked);
  }
}

/** Asks whether traffic may move. An interrupt that came meanwhile wins. */
async function announce(deps: RunDeps, run: Run, { found, goal }: Looked): Promise<Next> {
  if (goal !== 'nothing') await sayWhereItPrints(deps, run, found, goal);
  const right = await mayGoOn(deps, run, 'switching');
  if (right === 'lost' || run.task === undefined) return 'done';
  run.task = { ...run.task, grant: right === 'go' ? 'granted' : 'refused' };
  return 'again';
}

/** A set that is taken over from another revision goes on printing to the log of that one. */
async function sayWhereItPrints(
  deps: RunDeps,
  run: Run,
  { sets }: Found,
  { rule, revisionId }: Exclude<RunGoal, 'nothing'>,
): Promise<void> {
  const set = sets.find(({ key }) => key === rule.key);
  if (set === undefined || set.startedFor === revisionId) return;
  const line = `Set ${set.key} still runs from revision ${set.startedFor}: what its servers print is in the log of that revision.`;
  await say(deps, run, line);
}

/** Each change is made under the lease, which is asked for right before. */
async function changing(deps: RunDeps, run: Run, step: Changing, looked: Looked): Promise<Next> {
  const right = await mayGoOn(deps, run);
  if (right === 'lost') return 'done';
  if (right === 'stop' && run.task !== undefined && run.task.grant !== 'refused') {
    run.task = { ...run.task, grant: 'refused' };
    return 'again';
  }
  return change(deps, run, step, looked);
}

async function change(deps: RunDeps, run: Run, step: Changing, { found, goal }: Looked): Promise<Next> {
  const { compute, clock } = deps;
  const { place } = run;
  // Only the set that shall run is its revision's: traffic may also go back to the one before.
  const noteOf = (key: string) =>
    goal !== 'nothing' && goal.rule.key === key ? { revisionId: goal.revisionId } : {};
  switch (step.do) {
    case 'create':
      return goal === 'nothing' ? 'done' : create(deps, run, step, { found, goal });
    case 'scale':
      await compute.scale(place, step.key, step.wanted);
      return 'again';
    case 'revive':
      await compute.revive(place, step.key, step.wanted, noteOf(step.key));
      return 'again';
    case 'move':
      await compute.move(place, step.to, {
        name: run.deployment?.name ?? '',
        ...noteOf(step.to),
      });
      await say(deps, run, `Traffic moved to set ${step.to}.`);
      return 'again';
    case 'retire':
      await compute.retire(place, step.key, clock.now());
      return 'again';
    case 'remove':
      return (await compute.remove(place, step.key)) === 'done' ? 'again' : 'pause';
    case 'stop_traffic':
      await compute.stopTraffic(place);
      return 'again';
  }
}

async function create(
  deps: RunDeps,
  run: Run,
  { key, wanted, served }: Extract<Step, { do: 'create' }>,
  { found, goal }: { found: Found; goal: Exclude<RunGoal, 'nothing'> },
): Promise<Next> {
  const { place, given } = run;
  // It comes back under the same key once what ran under it is gone.
  if (found.sets.some((set) => set.key === key && set.isLeaving)) {
    await say(deps, run, 'The set that ran this before still ends its servers.');
    return (await deps.compute.remove(place, key)) === 'done' ? 'again' : 'pause';
  }
  if (given.problem !== undefined) throw new ComputeRefused(given.problem);
  const lines = await deps.compute.create(place, {
    ...goal.set,
    key,
    wanted,
    served,
    revisionId: goal.revisionId,
    graceSeconds: goal.rule.graceMilliseconds / 1000,
  });
  for (const line of [...lines, ...givenLines(run, goal)]) await say(deps, run, line);
  return 'again';
}

/** What a person reads of variables that are none of the deployment's own. */
function givenLines({ given }: Run, { set }: Exclude<RunGoal, 'nothing'>): string[] {
  const names = set.shared?.variables.map(({ name }) => name) ?? [];
  const line = `The installation gives these servers ${names.join(', ')} (agentSecrets).`;
  return [names.length > 0 ? line : undefined, given.variables?.remark].filter((each) => each !== undefined);
}

/**
 * Nothing is to be done now. What is on its way out is helped along; a deploy that waits is looked at again
 * soon; otherwise the run ends, and says how things are and when the next one should look.
 */
async function rest(
  deps: RunDeps,
  run: Run,
  { found, goal }: Looked,
  until: number | undefined,
): Promise<Next> {
  const leaving = found.sets.filter(({ isLeaving }) => isLeaving);
  for (const { key } of leaving) {
    if ((await mayGoOn(deps, run)) !== 'go') return 'done';
    await deps.compute.remove(run.place, key);
  }
  if (run.held.kind === 'stopping') {
    await complete(deps, run, { outcome: 'stopped' });
    return 'next';
  }
  // Each event of a server wakes another run: this one ends when it has taken over.
  if (run.held.kind === 'deploy') return (await mayGoOn(deps, run)) === 'lost' ? 'done' : 'pause';
  if (leaving.length > 0) return 'pause';
  if (run.task !== undefined && run.task.reported !== 'succeeded') return 'next';
  await reportHealth(deps, run, found, { goal });
  // Nothing tells when a server that was started again answers.
  if (goal !== 'nothing' && !isUp(found, goal)) return 'ill';
  if (goal === 'nothing') await lookAgain(deps, run, 'never');
  else if (until !== undefined) await lookAgain(deps, run, until);
  return 'done';
}

const isUp = ({ sets, traffic }: Found, { rule }: Exclude<RunGoal, 'nothing'>): boolean =>
  traffic === rule.key && sets.some(({ key, ready }) => key === traffic && ready > 0);
