import { expect, test } from 'vitest';
import { STEPS } from './graph.ts';
import { type Kill, linesOf, verdictOf } from './lines.ts';

const OURS = 11;
/** A run whose steps begin a second from one another. */
const runOf = (...steps: number[]) =>
  linesOf(steps.map((step, second) => `${second} thread run ${step} revision ${OURS}\n`).join(''));
const all = Array.from({ length: STEPS }, (_, index) => index + 1);
const killAt = (at: number, pid = OURS, until = at): Kill => ({ at, until, what: 'postgres', pids: [pid] });
const good = { isWhole: true, repeated: 0, repeatedByKills: 0 };

test('a run with each step once is whole', () => {
  expect(verdictOf(runOf(...all), [])).toEqual(good);
});

test('a run without its first, a middle or its last step is not', () => {
  for (const missing of [1, 4, STEPS])
    expect(verdictOf(runOf(...all.filter((step) => step !== missing)), [])).toEqual({
      ...good,
      isWhole: false,
    });
  expect(verdictOf([], [])).toMatchObject({ isWhole: false });
});

test('a step may run again for each kill of its worker while it was in hand', () => {
  expect(verdictOf(runOf(1, 2, 2, ...all.slice(2)), [killAt(1.5)])).toEqual({ ...good, repeatedByKills: 1 });
  // What was killed has begun the step before it was dead.
  expect(verdictOf(runOf(1, 2, 2, ...all.slice(2)), [killAt(0.9, OURS, 1.1)])).toMatchObject({ repeated: 0 });
  const twice = runOf(1, 2, 2, 2, ...all.slice(2));
  expect(verdictOf(twice, [killAt(1.5), killAt(2.5)])).toEqual({ ...good, repeatedByKills: 2 });
  expect(verdictOf(twice, [killAt(1.5)])).toMatchObject({ repeated: 1 });
});

test('a step that ran again without a kill, before it, or after one of another worker, has no excuse', () => {
  const again = runOf(1, 2, 2, ...all.slice(2));
  for (const kills of [[], [killAt(0.5)], [killAt(2.5)], [killAt(1.5, OURS + 1)]])
    expect(verdictOf(again, kills)).toEqual({ ...good, repeated: 1 });
});

test('two steps that ran again after one kill are one too many', () => {
  expect(verdictOf(runOf(1, 2, 1, 2, ...all.slice(2)), [killAt(1.5)])).toEqual({ ...good, repeated: 1 });
});
