import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LATENCY_BOUNDS_MS } from '../../../../lib/contract/deployments/latency-bounds.ts';
import {
  addHistograms,
  bucketOf,
  countOf,
  HistogramCounter,
  percentile,
} from '../../../../lib/domain/metrics/histogram.ts';

const LAST = LATENCY_BOUNDS_MS.at(-1) ?? 0;
const milliseconds = fc.oneof(
  fc.double({ min: 0, max: 2 * LAST, noNaN: true }),
  fc.double({ min: 0, max: 3000, noNaN: true }),
  fc.constantFrom(...LATENCY_BOUNDS_MS),
);
const durations = fc.array(milliseconds, { minLength: 1, maxLength: 300 });

function counted(all: readonly number[]) {
  const counter = new HistogramCounter();
  for (const each of all) counter.add(each);
  return counter.take();
}

/** By the rank that is asked for: the smallest that so many do not exceed. */
function truePercentile(all: readonly number[], part: number): number {
  const sorted = [...all].sort((a, b) => a - b);
  return sorted[Math.max(Math.ceil(part * sorted.length) - 1, 0)] ?? 0;
}

describe('a histogram of durations', () => {
  it('has bounds that rise', () => {
    expect([...LATENCY_BOUNDS_MS].sort((a, b) => a - b)).toEqual(LATENCY_BOUNDS_MS);
    expect(LATENCY_BOUNDS_MS).toHaveLength(36);
  });

  it('puts each duration into the first bucket whose bound it does not exceed', () => {
    fc.assert(
      fc.property(milliseconds, (each) => {
        const bucket = bucketOf(each);
        expect(each).toBeLessThanOrEqual(LATENCY_BOUNDS_MS[bucket] ?? Infinity);
        expect(bucket === 0 || each > (LATENCY_BOUNDS_MS[bucket - 1] ?? Infinity)).toBe(true);
      }),
    );
  });

  it('gives percentiles in the bucket of the true one', () => {
    const parts = fc.constantFrom(0.01, 0.5, 0.75, 0.95, 0.99, 1);
    fc.assert(
      fc.property(durations, parts, (all, part) => {
        const found = percentile(counted(all), part) ?? -1;
        const bucket = bucketOf(truePercentile(all, part));
        expect(found).toBeLessThanOrEqual(LATENCY_BOUNDS_MS[bucket] ?? LAST);
        expect(found).toBeGreaterThanOrEqual(LATENCY_BOUNDS_MS[bucket - 1] ?? 0);
      }),
    );
  });

  it('rises with the part that is asked for', () => {
    fc.assert(
      fc.property(durations, fc.double({ min: 0, max: 1, noNaN: true }), (all, part) => {
        const histogram = counted(all);
        expect(percentile(histogram, part) ?? -1).toBeLessThanOrEqual(percentile(histogram, 1) ?? -1);
      }),
    );
  });

  it('adds up to what was counted as one, in any order', () => {
    const property = fc.property(durations, durations, (some, others) => {
      const sum = addHistograms(counted(some), counted(others));
      const whole = counted([...others, ...some]);
      expect(sum.counts).toEqual(whole.counts);
      // Each is rounded to whole milliseconds by itself.
      expect(Math.abs(sum.sum_ms - whole.sum_ms)).toBeLessThanOrEqual(1);
      expect(countOf(sum)).toBe(some.length + others.length);
    });
    fc.assert(property);
  });

  it('knows no percentile of nothing, and counts what is no duration as zero', () => {
    expect(percentile(counted([]), 0.5)).toBeNull();
    expect(counted([Number.NaN, -5])).toEqual({ counts: [2], sum_ms: 0 });
  });
});
