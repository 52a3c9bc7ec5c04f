import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeFailure, mayPass } from '../../../lib/domain/agent-failure.ts';
import { allTo, type Goal, mainOf, type Seen, type Step, type Task } from '../../../lib/domain/rollout.ts';
import { run, type Turn } from './rollout-runs.ts';
import { GRACE, stories } from './rollout-stories.ts';

const RUNS = 3_000;

const neverMet = (met: Record<string, number>): string[] =>
  Object.keys(met).filter((name) => met[name] === 0);

/** A law of all steps of all runs. One that applies to hardly any of them would hold of anything. */
function law(
  applies: (turn: Turn) => boolean,
  holds: (turn: Turn) => void,
  cases: Record<string, (turn: Turn) => boolean> = {},
): void {
  const met = Object.fromEntries(['it', ...Object.keys(cases)].map((name) => [name, 0]));
  const count = (name: string) => (met[name] = (met[name] ?? 0) + 1);
  const property = fc.property(stories, (story) => {
    for (const one of run(story).turns) {
      if (!applies(one)) continue;
      count('it');
      for (const [name, isMet] of Object.entries(cases)) if (isMet(one)) count(name);
      holds(one);
    }
  });
  fc.assert(property, { numRuns: RUNS });
  expect(neverMet(met)).toEqual([]);
}

const does =
  (...steps: Step['do'][]) =>
  ({ step }: Turn) =>
    steps.includes(step.do);
const setOf = ({ sets }: Seen, key: string | undefined) => sets.find((set) => set.key === key);
const readyOf = (seen: Seen, key: string | undefined): number => setOf(seen, key)?.ready ?? 0;
const keyOf = (goal: Goal): string => (goal === 'nothing' ? '' : goal.key);
const isOpen = (task: Task): boolean => task !== undefined && task.reported === undefined;
const movesTo = (isGoal: boolean) => (one: Turn) =>
  one.step.do === 'move' && (mainOf(one.step.to) === keyOf(one.goal)) === isGoal;
const reports =
  (outcome: 'succeeded' | 'failed' | 'stopped') =>
  ({ step }: Turn) =>
    step.do === 'report' && step.outcome === outcome;

describe('the rule by which one revision replaces another', () => {
  it('moves traffic for a task only once that was granted', () => {
    law(
      (one) => isOpen(one.task) && movesTo(true)(one),
      ({ task, isGranted }) => expect([task?.grant, isGranted]).toEqual(['granted', true]),
    );
  });

  it('moves traffic back only when the grant was refused or the new set has nothing ready', () => {
    law(
      movesTo(false),
      ({ seen, task, goal, movedFrom, step }) => {
        expect(task?.reported).toBeUndefined();
        expect(task?.grant === 'refused' || readyOf(seen, keyOf(goal)) === 0).toBe(true);
        expect('to' in step && setOf(seen, mainOf(step.to))?.served).toBe(true);
        // Or an earlier task with the same goal was killed before it could retire it.
        if (movedFrom !== undefined && 'to' in step) expect(step.to).toEqual(allTo(movedFrom));
      },
      {
        'an interrupt won after the move': ({ task }) => task?.grant === 'refused',
        'the new set went down': ({ task }) => task?.grant !== 'refused',
      },
    );
  });

  it('moves traffic back whenever an interrupt won after the move and the set before still serves', () => {
    law(
      ({ seen, task, goal, movedFrom }) =>
        task?.grant === 'refused' &&
        task.reported === undefined &&
        mainOf(seen.traffic) === keyOf(goal) &&
        setOf(seen, movedFrom)?.retiredAt === undefined &&
        readyOf(seen, movedFrom) > 0,
      ({ step }) => expect(['move', 'revive']).toContain(step.do),
    );
  });

  it('never moves traffic from a set with ready servers to one without', () => {
    law(
      ({ step, seen }) => step.do === 'move' && readyOf(seen, mainOf(seen.traffic)) > 0,
      ({ step, seen }) => expect(readyOf(seen, 'to' in step ? mainOf(step.to) : '')).toBeGreaterThan(0),
    );
  });

  it('moves traffic for a task only to as many servers as now serve, as far as its maximum allows', () => {
    law(
      (one) => isOpen(one.task) && movesTo(true)(one),
      ({ seen, goal }) => {
        if (goal === 'nothing') throw new Error('traffic was moved to nothing');
        const serve = Math.max(1, goal.min, Math.min(goal.max, readyOf(seen, mainOf(seen.traffic))));
        expect(readyOf(seen, goal.key)).toBeGreaterThanOrEqual(serve);
      },
      { 'more serve than its minimum': ({ seen }) => readyOf(seen, mainOf(seen.traffic)) > 2 },
    );
  });

  it('moves traffic without a task to all servers of a set, or to its first where nothing answers', () => {
    const isDown = ({ seen }: Turn) => readyOf(seen, mainOf(seen.traffic)) === 0;
    law(
      (one) => one.task === undefined && movesTo(true)(one) && !isDown(one),
      ({ seen, goal }) => {
        const { ready, wanted } = setOf(seen, keyOf(goal)) ?? { ready: 0, wanted: 1 };
        expect(ready).toBeGreaterThanOrEqual(wanted);
      },
    );
    law(
      (one) =>
        one.task === undefined &&
        isDown(one) &&
        mainOf(one.seen.traffic) !== keyOf(one.goal) &&
        readyOf(one.seen, keyOf(one.goal)) > 0,
      ({ step }) => expect(['move', 'revive', 'scale']).toContain(step.do),
      {
        'not all are ready': ({ seen, goal }) => {
          const { ready, wanted } = setOf(seen, keyOf(goal)) ?? { ready: 0, wanted: 0 };
          return ready < wanted;
        },
      },
    );
  });

  it('never starts with none, nor with more than the maximum', () => {
    law(does('create', 'scale'), ({ step, goal }) => {
      if (goal === 'nothing' || !('wanted' in step)) throw new Error('nothing was started');
      expect(step.wanted).toBeGreaterThanOrEqual(Math.max(1, goal.min));
      expect(step.wanted).toBeLessThanOrEqual(Math.max(1, goal.max));
    });
  });

  it('scales only what has no traffic yet, and only up', () => {
    law(does('scale'), ({ step, seen }) => {
      if (step.do !== 'scale') throw new Error('nothing is scaled');
      expect(mainOf(seen.traffic)).not.toBe(step.key);
      expect(step.wanted).toBeGreaterThan(setOf(seen, step.key)?.wanted ?? Infinity);
    });
    law(
      ({ seen, goal }) =>
        goal !== 'nothing' && (setOf(seen, mainOf(seen.traffic))?.wanted ?? goal.min) < goal.min,
      ({ step, seen }) => {
        if (step.do === 'scale') expect(step.key).not.toBe(mainOf(seen.traffic));
      },
    );
  });

  it('revives a retired set that shall run again, and makes no second one', () => {
    law(does('create'), ({ step, seen }) => expect('key' in step && setOf(seen, step.key)).toBeUndefined());
    const isWanted = ({ task }: Turn) => task === undefined || (isOpen(task) && task.grant !== 'refused');
    law(
      (one) => isWanted(one) && setOf(one.seen, keyOf(one.goal))?.retiredAt !== undefined,
      ({ step, seen, goal, task, now }) => {
        // Others are cleared away first, and at the deadline it is too late.
        const isOfOthers = 'key' in step && step.key !== keyOf(goal);
        const isLate = step.do === 'report' && now >= (task?.deadlineAt ?? Infinity);
        if (isOfOthers || isLate) return;
        expect(step).toMatchObject({ do: 'revive', key: keyOf(goal) });
        const retired = setOf(seen, keyOf(goal));
        expect('wanted' in step && step.wanted).toBeGreaterThanOrEqual(retired?.wanted ?? 0);
      },
      { revives: does('revive') },
    );
  });

  it('never retires or removes what serves, nor removes what may hold requests before its grace is over', () => {
    law(
      (one) => does('retire', 'remove')(one) && one.goal !== 'nothing',
      ({ step, seen }) => {
        if (step.do !== 'retire' && step.do !== 'remove') throw new Error('nothing is cleared away');
        expect(step.key).not.toBe(mainOf(seen.traffic));
        // What never served would only take room.
        if (step.do === 'retire') expect(setOf(seen, step.key)?.served).toBe(true);
      },
      { retires: does('retire'), removes: does('remove') },
    );
    law(
      (one) => does('remove')(one) && one.goal !== 'nothing' && one.lastServedAt !== undefined,
      ({ now, lastServedAt }) => expect(now).toBeGreaterThanOrEqual((lastServedAt ?? 0) + GRACE),
    );
  });

  it('keeps what served before until the move is reported', () => {
    law(
      (one) =>
        isOpen(one.task) && one.movedFrom !== undefined && mainOf(one.seen.traffic) === keyOf(one.goal),
      ({ step, movedFrom }) => {
        const cleared = step.do === 'retire' || step.do === 'remove' ? step.key : undefined;
        expect(cleared).not.toBe(movedFrom);
      },
      { 'and it is there': ({ seen, movedFrom }) => setOf(seen, movedFrom) !== undefined },
    );
  });

  it('removes at once what was brought up for a task that came to nothing and never served', () => {
    law(
      ({ step, goal, lastServedAt }) =>
        goal !== 'nothing' && step.do === 'remove' && step.key === goal.key && lastServedAt === undefined,
      ({ task }) => expect(task?.grant === 'refused' || task?.reported !== undefined).toBe(true),
      { 'while another one serves': ({ seen }) => readyOf(seen, mainOf(seen.traffic)) > 0 },
    );
  });

  it('reports a success only when the goal has the traffic, or nothing is left', () => {
    law(
      reports('succeeded'),
      ({ seen, goal, task, isGranted }) => {
        if (goal === 'nothing') return expect(seen).toEqual({ sets: [], traffic: [] });
        expect(mainOf(seen.traffic)).toBe(goal.key);
        expect(readyOf(seen, goal.key)).toBeGreaterThan(0);
        expect([task?.grant, isGranted]).toEqual(['granted', true]);
      },
      { 'a deletion': ({ goal }) => goal === 'nothing' },
    );
  });

  it('gives each failure a reason, and says whether what was there before serves', () => {
    law(
      reports('failed'),
      ({ step, seen, goal, task, now }) => {
        if (!('failure' in step)) throw new Error('it failed without a reason');
        expect(describeFailure(step.failure)).toMatch(/^[A-Z].{30,}\./);
        expect(step.previousServing).toBe(
          mainOf(seen.traffic) !== keyOf(goal) && readyOf(seen, mainOf(seen.traffic)) > 0,
        );
        // What may pass is no reason before the time is over.
        expect(mayPass(step.failure)).toBe(false);
        if (step.failure.kind === 'deadline') expect(now).toBeGreaterThanOrEqual(task?.deadlineAt ?? 0);
      },
      {
        'at once': ({ step }) => 'failure' in step && step.failure.kind !== 'deadline',
        'at the deadline': ({ step }) => 'failure' in step && step.failure.kind === 'deadline',
        'and what was there before serves': ({ step }) => 'failure' in step && step.previousServing,
      },
    );
  });

  it('reports a stop only when it was refused, and nothing of the goal is left to serve later', () => {
    law(reports('stopped'), ({ seen, task, goal }) => {
      expect(task?.grant).toBe('refused');
      const left = setOf(seen, keyOf(goal));
      if (mainOf(seen.traffic) !== keyOf(goal) && left !== undefined) expect(left.retiredAt).toBeDefined();
    });
  });

  it('leaves nothing of a task to later looks but what is retired', () => {
    law(
      ({ task, goal, step }) => task?.reported !== undefined && goal !== 'nothing' && step.do === 'nothing',
      ({ seen, goal, task }) => {
        const left = seen.sets.filter(
          ({ key, retiredAt }) => key !== mainOf(seen.traffic) && retiredAt === undefined,
        );
        const isOfTask = (key: string) => task?.reported === 'succeeded' || key === keyOf(goal);
        expect(left.filter(({ key }) => isOfTask(key))).toEqual([]);
      },
      {
        'of one that came to nothing': ({ task }) => task?.reported !== 'succeeded',
        'of one that succeeded': ({ task }) => task?.reported === 'succeeded',
      },
    );
  });

  it('waits only for what is to come', () => {
    law(
      ({ step }) => step.do === 'wait' && step.until !== undefined,
      ({ step, now }) => expect('until' in step && step.until).toBeGreaterThan(now),
      { 'and says why': ({ step }) => 'say' in step && step.say !== undefined },
    );
  });

  it('comes to rest with what shall run, alone and serving, whatever has happened', () => {
    const met = { serves: 0, nothing: 0, 'nothing after a first deploy that failed': 0, 'killed midway': 0 };
    const property = fc.property(stories, (story) => {
      const { turns, world } = run(story);
      const { active, traffic, seen } = world;
      expect(traffic).toBe(active === 'nothing' ? undefined : active.key);
      expect(seen.sets.map(({ key }) => key)).toEqual(active === 'nothing' ? [] : [active.key]);
      expect(readyOf(seen, traffic) > 0).toBe(active !== 'nothing');
      met[active === 'nothing' ? 'nothing' : 'serves'] += 1;
      if (turns.some(({ fate, step }) => fate === 'half' && step.do === 'move')) met['killed midway'] += 1;
      const hasFailed = turns.some(reports('failed')) && !turns.some(reports('succeeded'));
      if (hasFailed && active === 'nothing') met['nothing after a first deploy that failed'] += 1;
    });
    fc.assert(property, { numRuns: RUNS });
    expect(neverMet(met)).toEqual([]);
  });
});
