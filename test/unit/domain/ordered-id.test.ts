import { expect, it } from 'vitest';
import { systemClock } from '../../../lib/adapters/clock.ts';
import { prefixAt, timeOf } from '../../../lib/domain/ordered-id.ts';

it('the time of a UUIDv7 is when it was made', () => {
  const before = Date.now();
  const at = timeOf(systemClock.orderedId());
  expect(at).toBeGreaterThanOrEqual(before);
  expect(at).toBeLessThanOrEqual(Date.now());
});

it('ids of a millisecond sort from its prefix on, and before that of the next', () => {
  const id = systemClock.orderedId();
  const at = timeOf(id);
  expect(id.startsWith(prefixAt(at))).toBe(true);
  expect(id > prefixAt(at) && id < prefixAt(at + 1)).toBe(true);
  expect(prefixAt(at - 1) < prefixAt(at)).toBe(true);
  expect(prefixAt(0)).toBe('00000000-0000');
});
