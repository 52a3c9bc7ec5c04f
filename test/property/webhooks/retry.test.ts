import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GIVEN_UP_AFTER_MILLISECONDS, nextAttemptAt } from '../../../lib/features/webhooks/retry.ts';

const HOUR = 3_600_000;
const since = fc.integer({ min: 0, max: 2_000_000_000_000 });
const random = fc.double({ min: 0, max: 1, noNaN: true });
const attempts = fc.integer({ min: 1, max: 200 });

describe('the next attempt', () => {
  it('is never in the past, nor after the day is over, nor later than an hour', () => {
    fc.assert(
      fc.property(
        since,
        attempts,
        random,
        fc.integer({ min: 0, max: 30 * HOUR }),
        (start, made, part, passed) => {
          const now = start + passed;
          const at = nextAttemptAt({ attempts: made, since: start }, now, part);
          if (passed >= GIVEN_UP_AFTER_MILLISECONDS) {
            expect(at).toBeUndefined();
            return;
          }
          expect(at).toBeGreaterThanOrEqual(now);
          expect(at).toBeLessThanOrEqual(Math.min(now + HOUR, start + GIVEN_UP_AFTER_MILLISECONDS));
        },
      ),
    );
  });

  it('is made at the very end of the day, whatever the dice say, and then no more', () => {
    fc.assert(
      fc.property(since, fc.infiniteStream(random), (start, dice) => {
        let now = start;
        let made = 0;
        for (const part of dice) {
          made += 1;
          const at = nextAttemptAt({ attempts: made, since: start }, now, part);
          if (at === undefined) break;
          // A pause of nothing at all is possible, but not for ever.
          now = Math.max(at, now + 1_000);
        }
        expect(now - start).toBeGreaterThanOrEqual(GIVEN_UP_AFTER_MILLISECONDS);
        expect(now - start).toBeLessThanOrEqual(GIVEN_UP_AFTER_MILLISECONDS + 1_000);
      }),
      { numRuns: 50 },
    );
  });

  it('is spread over the whole pause, which doubles up to an hour', () => {
    const longest = (made: number) => nextAttemptAt({ attempts: made, since: 0 }, 0, 1);
    expect([1, 2, 3, 9, 10, 50].map(longest)).toEqual([10_000, 20_000, 40_000, 2_560_000, HOUR, HOUR]);
    expect(nextAttemptAt({ attempts: 10, since: 0 }, 0, 0)).toBe(0);
    expect(nextAttemptAt({ attempts: 10, since: 0 }, 0, 0.5)).toBe(HOUR / 2);
  });
});
