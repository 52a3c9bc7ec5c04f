import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSilentForSure, silenceFoundAt } from '../../../lib/domain/confirmed.ts';

const MINUTE = 60_000;

/** Looks that all find a listener silent, so many milliseconds apart: whether each of them believes it. */
function believed(gaps: number[]): boolean[] {
  let now = 1_000_000;
  let foundAt: number | undefined;
  return [0, ...gaps].map((gap) => {
    now += gap;
    const isSure = isSilentForSure(foundAt, now);
    foundAt = silenceFoundAt(foundAt, now);
    return isSure;
  });
}

describe('silence that looks find again', () => {
  it('is believed at the second of two looks a minute apart', () => {
    expect(believed([MINUTE, MINUTE])).toEqual([false, true, true]);
    expect(believed([2 * MINUTE])).toEqual([false, true]);
  });

  it('is not believed at one look, at two in quick succession, or at the first after an outage', () => {
    expect(believed([])).toEqual([false]);
    expect(believed([1_000, 50_000])).toEqual([false, false, false]);
    expect(believed([2 * MINUTE + 1, MINUTE])).toEqual([false, false, true]);
    expect(believed([MINUTE, 3 * MINUTE, MINUTE])).toEqual([false, true, false, true]);
  });

  it('is never believed within 55 seconds of an outage of more than two minutes', () => {
    const gap = fc.integer({ min: 1, max: 5 * MINUTE });
    const property = fc.property(fc.array(gap, { minLength: 1, maxLength: 9 }), (gaps) => {
      const at = gaps.findLastIndex((one) => one > 2 * MINUTE);
      const since = gaps.slice(at + 1).reduce((sum, one) => sum + one, 0);
      if (since < 55_000) expect(believed(gaps).at(-1)).toBe(false);
    });
    fc.assert(property, { numRuns: 2_000 });
  });
});
