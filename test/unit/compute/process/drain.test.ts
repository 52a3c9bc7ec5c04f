import { expect, it } from 'vitest';
import { drainMillisecondsOf, settleMillisecondsOf } from '../../../../lib/compute/process/drain.ts';

it.each([
  [undefined, 30_000, 30_000],
  // An older control plane does not tell, and a deployment need not wish anything.
  [{}, 30_000, 30_000],
  [{ drain_seconds: null }, 30_000, 30_000],
  [{ drain_seconds: 0 }, 0, 0],
  [{ drain_seconds: 5 }, 5000, 5000],
  [{ drain_seconds: 600 }, 600_000, 30_000],
])('of %j where the listener has 30 s', (next, drain, settle) => {
  expect(drainMillisecondsOf(next, 30_000)).toBe(drain);
  expect(settleMillisecondsOf(next, 30_000)).toBe(settle);
});
