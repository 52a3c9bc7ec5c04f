import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type EventCount, numberEvents } from '../../../lib/domain/event-count.ts';

const NONE: EventCount = { sequence: 0, recent: [] };

/** Batches as the stream gives them: each goes on where the one before ended, or begins a little before that, for it was delivered again. */
const deliveries = fc.record({
  events: fc.integer({ min: 0, max: 300 }),
  steps: fc.array(
    fc.record({ again: fc.integer({ min: 0, max: 40 }), length: fc.integer({ min: 1, max: 60 }) }),
    {
      maxLength: 30,
    },
  ),
});

it('numbers each event once, from 1, without gaps and in order, however often it is delivered', () => {
  fc.assert(
    fc.property(deliveries, ({ events, steps }) => {
      const names = Array.from({ length: events }, (_, n) => `${Math.floor(n / 7)}.${n % 7}`);
      let count = NONE;
      let seen = 0;
      for (const { again, length } of steps) {
        const start = Math.max(0, seen - again);
        const batch = names.slice(start, seen + length);
        const result = numberEvents(count, batch);
        expect(result.numbers).toEqual(batch.map((_, index) => start + index + 1));
        ({ count } = result);
        seen = Math.min(names.length, seen + length);
        expect(count.sequence).toBe(seen);
        expect(count.recent.length).toBeLessThanOrEqual(100);
      }
    }),
  );
});

it('leaves the count as it is when nothing is new', () => {
  const { count } = numberEvents(NONE, ['created', '1.0']);
  expect(numberEvents(count, ['1.0', 'created'])).toEqual({ count, numbers: [2, 1] });
  expect(numberEvents(count, ['1.0']).count).toBe(count);
});

it('remembers all of a batch that is longer than what it remembers otherwise', () => {
  const names = Array.from({ length: 200 }, (_, n) => `n${n}`);
  const first = numberEvents(NONE, names);
  expect(numberEvents(first.count, names).numbers).toEqual(first.numbers);
});
