import type { Histogram, MinuteCounts } from '../../contract/deployments/counts.ts';
import type { MetricsPoint, MetricsValues } from '../../contract/deployments/metrics.ts';
import { countOf, percentile } from './histogram.ts';
import { merge, mergeAll } from './merge.ts';

/** Tenths of a millisecond. */
const tenths = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

function percentileOf(histogram: Histogram | undefined, part: number): number | null {
  const found = histogram === undefined ? null : percentile(histogram, part);
  return found === null ? null : tenths(found);
}

/** Null too where nothing was counted: nothing took any time. */
function latencyOf(latency: Histogram | undefined): MetricsValues['latency'] {
  if (latency === undefined || countOf(latency) === 0) return null;
  return {
    count: countOf(latency),
    p50_ms: percentileOf(latency, 0.5),
    p95_ms: percentileOf(latency, 0.95),
    p99_ms: percentileOf(latency, 0.99),
  };
}

function requestsOf(requests: MinuteCounts['requests']): MetricsValues['requests'] {
  if (requests === undefined) return null;
  const {
    all,
    failed = 0,
    '1xx': first = 0,
    '2xx': second = 0,
    '3xx': third = 0,
    '4xx': fourth = 0,
  } = requests;
  const fifth = requests['5xx'] ?? 0;
  return { all, '1xx': first, '2xx': second, '3xx': third, '4xx': fourth, '5xx': fifth, failed };
}

function runsOf(runs: MinuteCounts['runs']): MetricsValues['runs'] {
  if (runs === undefined) return null;
  const { begun = 0, succeeded = 0, failed = 0, waiting = 0, durations } = runs;
  const shown = { p50_ms: percentileOf(durations, 0.5), p95_ms: percentileOf(durations, 0.95) };
  return { begun, succeeded, failed, waiting, ...shown };
}

/** Counts as they are shown: null for what is not known, percentiles for histograms. */
export const valuesOf = (counts: MinuteCounts): MetricsValues => ({
  requests: requestsOf(counts.requests),
  latency: latencyOf(counts.latency),
  bytes_in: counts.bytes_in ?? null,
  bytes_out: counts.bytes_out ?? null,
  streams: counts.streams ?? null,
  in_flight: counts.in_flight ?? null,
  servers_wanted: counts.servers_wanted ?? null,
  servers_ready: counts.servers_ready ?? null,
  restarts: counts.restarts ?? null,
  cpu_cores: counts.cpu_cores ?? null,
  memory_bytes: counts.memory_bytes ?? null,
  runs: runsOf(counts.runs),
});

/** What was counted of one revision in a minute or an hour, which begins `at` (epoch milliseconds). */
export type Measured = { at: number; revision: number; counts: MinuteCounts };

/** Steps of a time, by when they begin (epoch milliseconds), in the order of time. */
type Steps = ReadonlyMap<number, MinuteCounts>;

/** What was measured, given in the order of time, in steps of so many milliseconds, by revision. */
export function stepsByRevision(
  measured: readonly Measured[],
  stepMilliseconds: number,
): ReadonlyMap<number, Steps> {
  const found = new Map<number, Map<number, MinuteCounts>>();
  for (const { at, revision, counts } of measured) {
    const steps = found.get(revision) ?? new Map<number, MinuteCounts>();
    const step = at - (at % stepMilliseconds);
    const known = steps.get(step);
    steps.set(step, known === undefined ? counts : merge(known, counts, 'times'));
    found.set(revision, steps);
  }
  return found;
}

/** The steps of all revisions together. */
export function stepsOfAll(revisions: ReadonlyMap<number, Steps>): Steps {
  const all = new Map<number, MinuteCounts>();
  for (const steps of revisions.values())
    for (const [at, counts] of steps) {
      const known = all.get(at);
      all.set(at, known === undefined ? counts : merge(known, counts, 'revisions'));
    }
  return new Map([...all].sort(([a], [b]) => a - b));
}

/** All steps together. */
export const totalOf = (steps: Steps): MetricsValues =>
  valuesOf(mergeAll([...steps.values()], 'times') ?? {});

export const pointsOf = (steps: Steps): MetricsPoint[] =>
  [...steps].map(([at, counts]) => ({ at: new Date(at).toISOString(), ...valuesOf(counts) }));
