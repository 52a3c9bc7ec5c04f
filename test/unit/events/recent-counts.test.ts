import { expect, it } from 'vitest';
import { RecentCounts } from '../../../lib/core/events/feed-writer.ts';
import { NO_EVENTS } from '../../../lib/domain/event-count.ts';

const count = (sequence: number) => ({ ...NO_EVENTS, sequence });

it('gives what was noted last, once', () => {
  const counts = new RecentCounts();
  counts.note('a', count(1));
  counts.note('a', count(2));
  counts.note('b', count(3));
  expect([counts.take('a'), counts.take('a'), counts.take('b')]).toEqual([count(2), undefined, count(3)]);
});

it('forgets those that were noted longest ago', () => {
  const counts = new RecentCounts();
  for (let number = 0; number < 10_000; number++) counts.note(`${number}`, count(number));
  // Written again, and so not among the oldest.
  counts.note('9600', count(9600));
  for (let number = 10_000; number < 10_200; number++) counts.note(`${number}`, count(number));
  const kept = Array.from({ length: 10_200 }, (_, number) => number).filter((number) =>
    counts.take(`${number}`),
  );
  expect(kept).toEqual([9600, ...Array.from({ length: 499 }, (_, index) => 9_701 + index)]);
});
