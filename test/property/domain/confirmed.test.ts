import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSilentForSure, type SilenceFound, silenceFound } from '../../../lib/domain/confirmed.ts';

const MINUTE = 60_000;

/** Looks that all find a listener silent, so many milliseconds apart: whether each of them believes it. */
function believed(gaps: number[]): boolean[] {
  let now = 1_000_000;
  let found: SilenceFound | undefined;
  return [0, ...gaps].map((gap) => {
    now += gap;
    const isSure = isSilentForSure(found, now);
    found = silenceFound(found, now);
    return isSure;
  });
}

describe('silence that looks find again', () => {
  it('is believed at the second of two looks a minute or two apart', () => {
    expect(believed([MINUTE])).toEqual([false, true]);
    expect(believed([2 * MINUTE])).toEqual([false, true]);
  });

  it('is not believed at one look, at several in quick succession, or at the first after an outage', () => {
    expect(believed([])).toEqual([false]);
    expect(believed([1_000, 50_000])).toEqual([false, false, false]);
    expect(believed([2 * MINUTE + 1])).toEqual([false, false]);
  });

  it('is believed at the third look, however late a sweep is that is behind', () => {
    expect(believed([10 * MINUTE, 10 * MINUTE])).toEqual([false, false, true]);
  });

  it('always leaves a listener 55 seconds between two looks to be heard, and is believed in the end', () => {
    const gap = fc.integer({ min: 1, max: 5 * MINUTE });
    const property = fc.property(fc.array(gap, { minLength: 1, maxLength: 9 }), (gaps) => {
      const at = believed(gaps).indexOf(true);
      const sum = (some: number[]) => some.reduce((total, one) => total + one, 0);
      if (at >= 0) expect(sum(gaps.slice(0, at))).toBeGreaterThanOrEqual(55_000);
      else expect(gaps.filter((one) => one >= 55_000).length).toBeLessThan(2);
    });
    fc.assert(property, { numRuns: 2_000 });
  });
});
