import type { MetricsPoint } from '../../contract/deployments/metrics.ts';
import type { MeasuredSet } from './measured-sets.ts';
import type { Asked } from './metrics-queries.ts';

type Values = Partial<Record<Asked, number>>;

/** What was measured of a set, by the beginning of each step in epoch milliseconds. */
export type Measured = { set: MeasuredSet; at: ReadonlyMap<number, Values> };

/** How much of a step is over, in minutes: what is not cannot have been measured. */
export const minutesOf = (time: number, stepSeconds: number, now: number): number =>
  Math.min(Math.max(Math.floor((now - time) / 60_000), 1), stepSeconds / 60);

/**
 * A step of one revision, of which so many minutes are over. It has several sets only where it was deployed
 * again: what is counted is added up, and percentiles, which cannot be, are those of the set with most
 * requests.
 */
export function pointOf(measured: readonly Measured[], time: number, minutes: number): MetricsPoint {
  const there = measured.flatMap(({ set, at }) => {
    const values = at.get(time);
    return values === undefined ? [] : [{ set, values }];
  });
  const total = (name: Asked) => sum(there.map(({ values }) => values[name] ?? 0));
  const [busiest] = there.toSorted((one, other) => (other.values.requests ?? 0) - (one.values.requests ?? 0));
  return {
    at: new Date(time).toISOString(),
    requests: {
      all: total('requests'),
      '1xx': 0,
      '2xx': total('two'),
      '3xx': total('three'),
      '4xx': total('four'),
      '5xx': total('five'),
      failed: total('five') + total('broken'),
    },
    latency: latencyOf(busiest?.values ?? {}),
    bytes_in: null,
    bytes_out: null,
    streams: null,
    in_flight: null,
    servers_wanted: known(there.map(({ set }) => set.wanted)),
    servers_ready: known(there.map(({ values }) => values.healthy && Math.round(values.healthy))),
    restarts: null,
    cpu_cores: known(there.map(({ set, values }) => coresOf(set, values, minutes))),
    memory_bytes: known(there.map(({ set, values }) => bytesOf(set, values, minutes))),
    runs: null,
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** All that is known together; null: nothing is. */
function known(values: readonly (number | undefined)[]): number | null {
  const there = values.filter((value) => value !== undefined);
  return there.length === 0 ? null : sum(there);
}

function latencyOf({ requests = 0, p50, p95, p99 }: Values): MetricsPoint['latency'] {
  if (requests === 0 || p50 === undefined) return null;
  return {
    count: requests,
    p50_ms: inMilliseconds(p50),
    p95_ms: inMilliseconds(p95),
    p99_ms: inMilliseconds(p99),
  };
}

/** CloudWatch has seconds. */
const inMilliseconds = (seconds: number | undefined): number | null =>
  seconds === undefined ? null : Math.round(seconds * 10_000) / 10;

/** How many tasks there were on average. */
const tasksIn = ({ samples = 0 }: Values, minutes: number): number => samples / minutes;

function coresOf({ cpuUnits }: MeasuredSet, values: Values, minutes: number): number | undefined {
  if (values.cpu === undefined) return undefined;
  const cores = (values.cpu / 100) * (cpuUnits / 1024) * tasksIn(values, minutes);
  return Math.round(cores * 1000) / 1000;
}

function bytesOf({ memoryMb }: MeasuredSet, values: Values, minutes: number): number | undefined {
  if (values.memory === undefined) return undefined;
  return Math.round((values.memory / 100) * memoryMb * 1024 ** 2 * tasksIn(values, minutes));
}
