import type { MetricsValues } from '../../contract/deployments/metrics.ts';

/** Values of which nothing is known. */
const UNKNOWN: MetricsValues = {
  requests: null,
  latency: null,
  bytes_in: null,
  bytes_out: null,
  streams: null,
  in_flight: null,
  servers_wanted: null,
  servers_ready: null,
  restarts: null,
  cpu_cores: null,
  memory_bytes: null,
  runs: null,
};

type Join = (a: number, b: number) => number;

const add: Join = (a, b) => a + b;
const later: Join = (_, b) => b;

function both<T>(a: T | null, b: T | null, join: (a: T, b: T) => T): T | null {
  return a === null || b === null ? (a ?? b) : join(a, b);
}

type Latency = NonNullable<MetricsValues['latency']>;
type Requests = NonNullable<MetricsValues['requests']>;

/** Percentiles of two do not add up: those of both are not known. */
const addLatencies = (a: Latency, b: Latency): Latency => ({
  count: a.count + b.count,
  p50_ms: null,
  p95_ms: null,
  p99_ms: null,
});

const addRequests = (a: Requests, b: Requests): Requests => ({
  all: a.all + b.all,
  failed: a.failed + b.failed,
  '1xx': a['1xx'] + b['1xx'],
  '2xx': a['2xx'] + b['2xx'],
  '3xx': a['3xx'] + b['3xx'],
  '4xx': a['4xx'] + b['4xx'],
  '5xx': a['5xx'] + b['5xx'],
});

/**
 * Values that somebody else has measured as one, as `merge` does with what listeners count: `revisions` at
 * the same time, or `times` that follow each other. What nobody can add up is null. Runs and restarts are
 * never measured so.
 */
export function joined(all: readonly MetricsValues[], how: 'times' | 'revisions'): MetricsValues {
  const peak = how === 'times' ? Math.max : add;
  const state = how === 'times' ? later : add;
  return all.reduce(
    (a, b) => ({
      requests: both(a.requests, b.requests, addRequests),
      latency: both(a.latency, b.latency, addLatencies),
      bytes_in: both(a.bytes_in, b.bytes_in, add),
      bytes_out: both(a.bytes_out, b.bytes_out, add),
      streams: both(a.streams, b.streams, peak),
      in_flight: both(a.in_flight, b.in_flight, peak),
      servers_wanted: both(a.servers_wanted, b.servers_wanted, state),
      servers_ready: both(a.servers_ready, b.servers_ready, state),
      restarts: null,
      cpu_cores: both(a.cpu_cores, b.cpu_cores, peak),
      memory_bytes: both(a.memory_bytes, b.memory_bytes, peak),
      runs: null,
    }),
    UNKNOWN,
  );
}
