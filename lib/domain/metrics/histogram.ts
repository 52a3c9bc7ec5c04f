import type { Histogram } from '../../contract/deployments/counts.ts';
import { LATENCY_BOUNDS_MS, LATENCY_BUCKETS } from '../../contract/deployments/latency-bounds.ts';

/** The bucket of a duration in milliseconds: the first whose bound it does not exceed. */
export function bucketOf(milliseconds: number): number {
  let low = 0;
  let high = LATENCY_BOUNDS_MS.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (milliseconds <= (LATENCY_BOUNDS_MS[middle] ?? Infinity)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Counts durations; constant work for each, and nothing is allocated. */
export class HistogramCounter {
  readonly #counts: number[] = Array.from({ length: LATENCY_BUCKETS }, () => 0);
  #sum = 0;
  #last = -1;

  /** Counts one duration, in milliseconds. What is no number, or negative, counts as zero. */
  add(milliseconds: number): void {
    const duration = milliseconds > 0 ? milliseconds : 0;
    const bucket = bucketOf(duration);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += duration;
    if (bucket > this.#last) this.#last = bucket;
  }

  /** What was counted since it was taken last. */
  take(): Histogram {
    const taken = { counts: this.#counts.slice(0, this.#last + 1), sum_ms: Math.round(this.#sum) };
    this.#counts.fill(0);
    this.#sum = 0;
    this.#last = -1;
    return taken;
  }
}

export const countOf = ({ counts }: Histogram): number => counts.reduce((sum, each) => sum + each, 0);

export function addHistograms(a: Histogram, b: Histogram): Histogram {
  const [longer, shorter] = a.counts.length < b.counts.length ? [b, a] : [a, b];
  return {
    counts: longer.counts.map((count, bucket) => count + (shorter.counts[bucket] ?? 0)),
    sum_ms: a.sum_ms + b.sum_ms,
  };
}

/**
 * The duration in milliseconds that this part (0 to 1) of what was counted did not exceed, by linear
 * interpolation in the bucket that it lies in; null: nothing was counted. What lies beyond the last bound is
 * given as that bound.
 */
export function percentile(histogram: Histogram, part: number): number | null {
  const all = countOf(histogram);
  if (all === 0) return null;
  const wanted = Math.min(Math.max(part, 0), 1) * all;
  let before = 0;
  for (const [bucket, count] of histogram.counts.entries()) {
    if (count > 0 && before + count >= wanted) return inBucket(bucket, (wanted - before) / count);
    before += count;
  }
  return LATENCY_BOUNDS_MS.at(-1) ?? null;
}

function inBucket(bucket: number, share: number): number {
  const from = LATENCY_BOUNDS_MS[bucket - 1] ?? 0;
  const to = LATENCY_BOUNDS_MS[bucket] ?? from;
  return from + (to - from) * Math.max(share, 0);
}
