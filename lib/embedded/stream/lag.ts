/** How many samples are kept: enough for a benchmark, 80 kB. */
const SAMPLES_MAX = 10_000;

export type LagSummary = { count: number; p50Ms: number; p95Ms: number; maxMs: number };

/** Milliseconds from an acknowledged write to the call of a consumer with its record. */
export class Lag {
  #samples: number[] = [];

  add(milliseconds: number): void {
    this.#samples.push(milliseconds);
    if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
  }

  /** Of all samples since the last call. */
  take(): LagSummary {
    const sorted = this.#samples.toSorted((a, b) => a - b);
    this.#samples = [];
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return { count: sorted.length, p50Ms: at(0.5), p95Ms: at(0.95), maxMs: sorted.at(-1) ?? 0 };
  }
}
