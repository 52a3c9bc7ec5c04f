import { describe, expect, it } from 'vitest';
import {
  allTo,
  type ComputeSet,
  decideRollout,
  type Goal,
  type Seen,
  type Task,
} from '../../../lib/domain/rollout.ts';

const NOW = 1_000_000;
const GRACE = 180_000;
const goal: Goal = { key: 'new', min: 1, max: 10, graceMilliseconds: GRACE };

const setOf = (key: string, more: Partial<ComputeSet> = {}): ComputeSet => ({
  ...{ key, wanted: 1, ready: 1, failure: undefined, served: false, retiredAt: undefined },
  ...more,
});
const old = setOf('old', { served: true });
const taskOf = (more: Partial<NonNullable<Task>> = {}): Task => ({
  ...{ grant: 'unasked', reported: undefined, deadlineAt: NOW + 600_000, timeoutSeconds: 600 },
  ...more,
});
const seen = (traffic: string | undefined, ...sets: ComputeSet[]): Seen => ({
  traffic: traffic === undefined ? [] : allTo(traffic),
  sets,
});

describe('a revision replaces another', () => {
  it('comes up beside it, with as many servers as serve', () => {
    const many = setOf('old', { served: true, wanted: 7, ready: 7 });
    expect(decideRollout(seen('old', many), goal, taskOf(), NOW)).toEqual({
      ...{ do: 'create', key: 'new', wanted: 7, served: false },
    });
    const starting = setOf('new', { wanted: 7, ready: 6 });
    expect(decideRollout(seen('old', many, starting), goal, taskOf(), NOW)).toEqual({
      ...{ do: 'wait', until: NOW + 600_000, say: undefined },
    });
    const grown = setOf('old', { served: true, wanted: 9, ready: 9 });
    const ready = setOf('new', { wanted: 7, ready: 7 });
    expect(decideRollout(seen('old', grown, ready), goal, taskOf(), NOW)).toEqual({
      ...{ do: 'scale', key: 'new', wanted: 9 },
    });
  });

  it('is announced, gets the traffic, is reported, and retires it, in this order', () => {
    const ready = setOf('new');
    const before = seen('old', old, ready);
    expect(decideRollout(before, goal, taskOf(), NOW)).toEqual({ do: 'announce' });
    expect(decideRollout(before, goal, taskOf({ grant: 'granted' }), NOW)).toEqual({
      do: 'move',
      to: allTo('new'),
    });
    const moved = seen('new', old, setOf('new', { served: true }));
    expect(decideRollout(moved, goal, taskOf({ grant: 'granted' }), NOW)).toEqual({
      ...{ do: 'report', outcome: 'succeeded' },
    });
    const accepted = taskOf({ grant: 'granted', reported: 'succeeded' });
    expect(decideRollout(moved, goal, accepted, NOW)).toEqual({ do: 'retire', key: 'old' });
    const retired = seen('new', { ...old, retiredAt: NOW }, setOf('new', { served: true }));
    expect(decideRollout(retired, goal, undefined, NOW + GRACE - 1)).toEqual({
      ...{ do: 'wait', until: NOW + GRACE, say: undefined },
    });
    expect(decideRollout(retired, goal, undefined, NOW + GRACE)).toEqual({ do: 'remove', key: 'old' });
  });

  it('starts one server where none serves, although its minimum is 0', () => {
    expect(decideRollout(seen(undefined), { ...goal, min: 0 }, taskOf(), NOW)).toMatchObject({ wanted: 1 });
  });

  it('is the one before, which is retired and is revived', () => {
    const retired = setOf('new', { served: true, wanted: 2, ready: 2, retiredAt: NOW - 1 });
    expect(decideRollout(seen('old', old, retired), goal, taskOf(), NOW)).toEqual({
      ...{ do: 'revive', key: 'new', wanted: 2 },
    });
  });
});

describe('a deploy that comes to nothing', () => {
  const refused = taskOf({ grant: 'refused' });

  it('is taken back before its stop is reported', () => {
    expect(decideRollout(seen('old', old, setOf('new')), goal, refused, NOW)).toEqual({
      ...{ do: 'remove', key: 'new' },
    });
    expect(decideRollout(seen('old', old), goal, refused, NOW)).toEqual({ do: 'report', outcome: 'stopped' });
  });

  it('gives the traffic back where the interrupt won after the move', () => {
    const served = setOf('new', { served: true });
    expect(decideRollout(seen('new', old, served), goal, refused, NOW)).toEqual({
      do: 'move',
      to: allTo('old'),
    });
    expect(decideRollout(seen('old', old, served), goal, refused, NOW)).toEqual({ do: 'retire', key: 'new' });
    const retired = { ...served, retiredAt: NOW };
    expect(decideRollout(seen('old', old, retired), goal, refused, NOW)).toEqual({
      ...{ do: 'report', outcome: 'stopped' },
    });
  });

  it('fails at once where waiting does not help, and is removed once that is reported', () => {
    const failure = { kind: 'image_missing', image: 'app' } as const;
    const broken = seen('old', old, setOf('new', { ready: 0, failure }));
    expect(decideRollout(broken, goal, taskOf(), NOW)).toEqual({
      ...{ do: 'report', outcome: 'failed', failure, previousServing: true },
    });
    expect(decideRollout(broken, goal, taskOf({ reported: 'failed' }), NOW)).toEqual({
      ...{ do: 'remove', key: 'new' },
    });
  });

  it('says what it waits for, and fails with that at its deadline', () => {
    const cause = { kind: 'ok_status', status: 500, path: '/ok' } as const;
    const waiting = seen(undefined, setOf('new', { ready: 0, failure: cause }));
    expect(decideRollout(waiting, goal, taskOf(), NOW)).toEqual({
      do: 'wait',
      until: NOW + 600_000,
      say: expect.stringContaining('GET /ok answers 500'),
    });
    expect(decideRollout(waiting, goal, taskOf(), NOW + 600_000)).toEqual({
      ...{ do: 'report', outcome: 'failed', previousServing: false },
      failure: { kind: 'deadline', timeoutSeconds: 600, ready: 0, wanted: 1, cause },
    });
  });
});

describe('what a task finds already there', () => {
  it('gets no traffic back unless it has served', () => {
    const stray = setOf('stray');
    const down = setOf('new', { served: true, ready: 0 });
    const refused = taskOf({ grant: 'refused' });
    expect(decideRollout(seen('new', stray, setOf('new', { served: true })), goal, refused, NOW)).toEqual({
      ...{ do: 'report', outcome: 'stopped' },
    });
    expect(decideRollout(seen('new', stray, down), goal, taskOf(), NOW)).toMatchObject({ do: 'wait' });
  });

  it('is not scaled once it has the traffic: that is for what scales it by load', () => {
    const small = setOf('new', { served: true });
    const larger = { ...goal, min: 3 };
    expect(decideRollout(seen('new', small), larger, undefined, NOW)).toEqual({ do: 'nothing' });
  });

  it('wakes nobody for a grace that is over', () => {
    const retired = { ...old, retiredAt: NOW - GRACE };
    const down = setOf('new', { served: true, ready: 0 });
    expect(decideRollout(seen('new', retired, down), goal, taskOf(), NOW)).toMatchObject({
      ...{ do: 'wait', until: NOW + 600_000 },
    });
  });
});

describe('what runs without a task', () => {
  it('is made again where the traffic goes, as a set that serves', () => {
    expect(decideRollout(seen('new'), goal, undefined, NOW)).toEqual({
      ...{ do: 'create', key: 'new', wanted: 1, served: true },
    });
  });

  it('gets the traffic with its first server where nothing answers', () => {
    const first = setOf('new', { wanted: 3, ready: 1 });
    const down = setOf('old', { served: true, ready: 0 });
    expect(decideRollout(seen('old', down, first), goal, undefined, NOW)).toEqual({
      do: 'move',
      to: allTo('new'),
    });
    expect(decideRollout(seen('old', old, first), goal, undefined, NOW)).toMatchObject({ do: 'wait' });
  });
});

it('removes everything of a deployment that shall run nothing, and says so when nothing is left', () => {
  const steps = [seen('old', old), seen(undefined, old), seen(undefined)].map((one) =>
    decideRollout(one, 'nothing', taskOf(), NOW),
  );
  expect(steps).toEqual([
    { do: 'stop_traffic' },
    { do: 'remove', key: 'old' },
    { do: 'report', outcome: 'succeeded' },
  ]);
  expect(decideRollout(seen(undefined), 'nothing', undefined, NOW)).toEqual({ do: 'nothing' });
});
