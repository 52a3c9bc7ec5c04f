import type { Histogram, MinuteCounts } from '../../contract/deployments/counts.ts';
import { LATENCY_BOUNDS_MS } from '../../contract/deployments/latency-bounds.ts';
import { countOf } from '../../domain/metrics/histogram.ts';

/** A revision, and what was counted of it since `since`; `now`: what was there at the end. */
export type Series = {
  /** Attributes of the resource, by their names. */
  resource: Readonly<Record<string, string>>;
  /** Epoch milliseconds. */
  since: number;
  until: number;
  counted: MinuteCounts;
  now: MinuteCounts;
};

type Attributes = Record<string, string>;
type Counted = [value: number | undefined, attributes?: Attributes];
type Metric = { name: string; unit: string } & ({ sum: object } | { gauge: object } | { histogram: object });

/** Totals only grow from `startTimeUnixNano` on, so a request that was lost is made good by the next. */
const CUMULATIVE = 2;
const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
const NANOSECONDS = 1_000_000n;

const attributesOf = (given: Readonly<Attributes>) =>
  Object.entries(given).map(([key, stringValue]) => ({ key, value: { stringValue } }));

const nanoseconds = (milliseconds: number): string => String(BigInt(Math.round(milliseconds)) * NANOSECONDS);

/** The body of `POST /v1/metrics` of OTLP/HTTP in JSON. */
export const payloadOf = (series: readonly Series[], version: string): object => ({
  resourceMetrics: series.map((each) => ({
    resource: { attributes: attributesOf(each.resource) },
    scopeMetrics: [{ scope: { name: 'slipway', version }, metrics: metricsOf(each) }],
  })),
});

/** What is not known is left out. Names and units make the names of `GET /v2/metrics` in Prometheus. */
function metricsOf(series: Series): Metric[] {
  const { counted, now } = series;
  const { requests, runs } = counted;
  return [
    durations(series, 'http.server.request.duration', counted.latency),
    total(
      series,
      ['slipway.http.requests', '{request}'],
      CLASSES.map((status) => [requests && (requests[status] ?? 0), { status }]),
    ),
    total(series, ['slipway.http.requests.failed', '{request}'], [[requests && (requests.failed ?? 0)]]),
    total(series, ['slipway.http.received', 'By'], [[counted.bytes_in]]),
    total(series, ['slipway.http.sent', 'By'], [[counted.bytes_out]]),
    total(
      series,
      ['slipway.server.restarts', '{restart}'],
      (counted.restarts ?? []).map(({ reason, count }) => [count, { reason }]),
    ),
    total(series, ['slipway.runs.begun', '{run}'], [[runs?.begun]]),
    total(
      series,
      ['slipway.runs.ended', '{run}'],
      [
        [runs?.succeeded, { outcome: 'succeeded' }],
        [runs?.failed, { outcome: 'failed' }],
      ],
    ),
    durations(series, 'slipway.run.duration', runs?.durations),
    gauge(series, ['http.server.active_requests', '{request}'], now.in_flight),
    gauge(series, ['slipway.http.open_streams', '{stream}'], now.streams),
    gauge(series, ['slipway.servers.wanted', '{server}'], now.servers_wanted),
    gauge(series, ['slipway.servers.ready', '{server}'], now.servers_ready),
    gauge(series, ['slipway.cpu.usage', 'cores'], now.cpu_cores),
    gauge(series, ['slipway.cpu.limit', 'cores'], now.cpu_limit),
    gauge(series, ['slipway.memory.usage', 'By'], now.memory_bytes),
    gauge(series, ['slipway.memory.limit', 'By'], now.memory_limit),
    gauge(series, ['slipway.runs.waiting', '{run}'], now.runs?.waiting),
  ].flat();
}

type Named = readonly [name: string, unit: string];

function total({ since, until }: Series, [name, unit]: Named, values: Counted[]): Metric[] {
  const dataPoints = values.flatMap(([value, attributes = {}]) =>
    value === undefined
      ? []
      : [
          {
            asInt: String(value),
            attributes: attributesOf(attributes),
            startTimeUnixNano: nanoseconds(since),
            timeUnixNano: nanoseconds(until),
          },
        ],
  );
  if (dataPoints.length === 0) return [];
  return [{ name, unit, sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } }];
}

function gauge({ until }: Series, [name, unit]: Named, value: number | undefined): Metric[] {
  if (value === undefined) return [];
  const dataPoints = [{ asDouble: value, attributes: [], timeUnixNano: nanoseconds(until) }];
  return [{ name, unit, gauge: { dataPoints } }];
}

/** In seconds, as semantic conventions have durations. */
function durations({ since, until }: Series, name: string, counted: Histogram | undefined): Metric[] {
  if (counted === undefined) return [];
  const dataPoint = {
    count: String(countOf(counted)),
    sum: counted.sum_ms / 1000,
    bucketCounts: [...LATENCY_BOUNDS_MS, Infinity].map((_, bucket) => String(counted.counts[bucket] ?? 0)),
    explicitBounds: LATENCY_BOUNDS_MS.map((bound) => bound / 1000),
    attributes: [],
    startTimeUnixNano: nanoseconds(since),
    timeUnixNano: nanoseconds(until),
  };
  return [{ name, unit: 's', histogram: { aggregationTemporality: CUMULATIVE, dataPoints: [dataPoint] } }];
}
