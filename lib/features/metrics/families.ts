import type { Histogram, MinuteCounts } from '../../contract/deployments/counts.ts';
import { LATENCY_BOUNDS_MS } from '../../contract/deployments/latency-bounds.ts';
import { countOf } from '../../domain/metrics/histogram.ts';
import { Family, type Labels } from './exposition.ts';

/** What is shown of one revision: all that was ever counted, and what was told last of what is there now. */
export type Shown = { labels: Labels; counted: MinuteCounts; now: MinuteCounts };

const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** All families of these revisions as one text, and how many revisions were left out of it. */
export function familiesOf(shown: readonly Shown[], leftOut: number): string {
  const none = new Family(
    'slipway_revisions_left_out',
    'gauge',
    'Revisions with traffic that are not listed here, because there are too many.',
  );
  none.add({}, leftOut);
  return [none, ...counters(shown), ...gauges(shown)].map(String).join('');
}

function counters(shown: readonly Shown[]): Family[] {
  const duration = new Family(
    'http_server_request_duration_seconds',
    'histogram',
    'Time to the first byte of the answer.',
  );
  const requests = new Family(
    'slipway_http_requests_total',
    'counter',
    'Requests by the class of their status.',
  );
  const failed = new Family(
    'slipway_http_requests_failed_total',
    'counter',
    'Requests that ended with a 5xx or without a whole answer.',
  );
  const received = new Family('slipway_http_received_bytes_total', 'counter', 'Bytes of requests.');
  const sent = new Family('slipway_http_sent_bytes_total', 'counter', 'Bytes of answers.');
  const restarts = new Family(
    'slipway_server_restarts_total',
    'counter',
    'Restarts of servers by their reason.',
  );
  const begun = new Family('slipway_runs_begun_total', 'counter', 'Runs of the agent that have begun.');
  const ended = new Family(
    'slipway_runs_ended_total',
    'counter',
    'Runs of the agent that have ended, by outcome.',
  );
  const runs = new Family('slipway_run_duration_seconds', 'histogram', 'Duration of runs of the agent.');
  for (const { labels, counted } of shown) {
    addHistogram(duration, labels, counted.latency);
    for (const status of CLASSES)
      if (counted.requests !== undefined) requests.add({ ...labels, status }, counted.requests[status] ?? 0);
    failed.add(labels, counted.requests && (counted.requests.failed ?? 0));
    received.add(labels, counted.bytes_in);
    sent.add(labels, counted.bytes_out);
    for (const { reason, count } of counted.restarts ?? []) restarts.add({ ...labels, reason }, count);
    begun.add(labels, counted.runs?.begun);
    ended.add({ ...labels, outcome: 'succeeded' }, counted.runs?.succeeded);
    ended.add({ ...labels, outcome: 'failed' }, counted.runs?.failed);
    addHistogram(runs, labels, counted.runs?.durations);
  }
  return [duration, requests, failed, received, sent, restarts, begun, ended, runs];
}

function gauges(shown: readonly Shown[]): Family[] {
  const gauge = (name: string, help: string, value: (now: MinuteCounts) => number | undefined): Family => {
    const family = new Family(name, 'gauge', help);
    for (const { labels, now } of shown) family.add(labels, value(now));
    return family;
  };
  return [
    gauge(
      'http_server_active_requests',
      'Most requests in flight in the last minute.',
      (now) => now.in_flight,
    ),
    gauge('slipway_http_open_streams', 'Most open streams in the last minute.', (now) => now.streams),
    gauge('slipway_servers_wanted', 'Servers that should run.', (now) => now.servers_wanted),
    gauge('slipway_servers_ready', 'Servers that are ready.', (now) => now.servers_ready),
    gauge('slipway_cpu_usage_cores', 'Processors in use.', (now) => now.cpu_cores),
    gauge('slipway_cpu_limit_cores', 'Processors that may be used.', (now) => now.cpu_limit),
    gauge('slipway_memory_usage_bytes', 'Memory in use.', (now) => now.memory_bytes),
    gauge('slipway_memory_limit_bytes', 'Memory that may be used.', (now) => now.memory_limit),
    gauge('slipway_runs_waiting', 'Runs of the agent that wait for a worker.', (now) => now.runs?.waiting),
  ];
}

/** Bounds in seconds; each bucket has what the ones before it have, too. */
function addHistogram(family: Family, labels: Labels, histogram: Histogram | undefined): void {
  if (histogram === undefined) return;
  let sum = 0;
  for (const [bucket, bound] of LATENCY_BOUNDS_MS.entries()) {
    sum += histogram.counts[bucket] ?? 0;
    family.add({ ...labels, le: String(bound / 1000) }, sum, '_bucket');
  }
  family.add({ ...labels, le: '+Inf' }, countOf(histogram), '_bucket');
  family.add(labels, histogram.sum_ms / 1000, '_sum');
  family.add(labels, countOf(histogram), '_count');
}
