import {
  type Histogram,
  type MinuteCounts,
  RESTART_REASONS_MAX,
  type RequestCounts,
  type RunCounts,
} from '../../contract/deployments/counts.ts';
import { addHistograms } from './histogram.ts';

/**
 * What is put together. What was counted is added up in every case; they differ in what is there at a moment,
 * as streams or servers are:
 *
 * - `instances`: the same minute of one revision, told by several instances of a listener, which see the same
 *   servers. The greater counts.
 * - `times`: what follows in time, the later last. The greatest counts; of servers and limits, and of runs
 *   that wait, the latest.
 * - `revisions`: what several revisions did at the same time. It is added up.
 */
export type Merging = 'instances' | 'times' | 'revisions';

type Gauge = (a: number, b: number) => number;
const add: Gauge = (a, b) => a + b;
const later: Gauge = (_, b) => b;
/** In thousandths, as they are kept: sums of them would be a little off otherwise. */
const ofCores =
  (gauge: Gauge): Gauge =>
  (a, b) =>
    Math.round(gauge(a, b) * 1000) / 1000;

const gauges: Record<Merging, { peak: Gauge; state: Gauge }> = {
  instances: { peak: Math.max, state: Math.max },
  times: { peak: Math.max, state: later },
  revisions: { peak: add, state: add },
};

/** Two of them as one. What neither knows stays unknown. */
export function merge(a: MinuteCounts, b: MinuteCounts, merging: Merging): MinuteCounts {
  const { peak, state } = gauges[merging];
  return withoutUnknown({
    requests: both(a.requests, b.requests, addRequests),
    latency: both(a.latency, b.latency, addHistograms),
    bytes_in: both(a.bytes_in, b.bytes_in, add),
    bytes_out: both(a.bytes_out, b.bytes_out, add),
    streams: both(a.streams, b.streams, peak),
    in_flight: both(a.in_flight, b.in_flight, peak),
    servers_wanted: both(a.servers_wanted, b.servers_wanted, state),
    servers_ready: both(a.servers_ready, b.servers_ready, state),
    restarts: both(a.restarts, b.restarts, addRestarts),
    cpu_cores: both(a.cpu_cores, b.cpu_cores, ofCores(peak)),
    cpu_limit: both(a.cpu_limit, b.cpu_limit, ofCores(state)),
    memory_bytes: both(a.memory_bytes, b.memory_bytes, peak),
    memory_limit: both(a.memory_limit, b.memory_limit, state),
    runs: both(a.runs, b.runs, (one, other) => addRuns(one, other, state)),
  });
}

/** All of them as one, in the order given; undefined: there are none. */
export function mergeAll(all: readonly MinuteCounts[], merging: Merging): MinuteCounts | undefined {
  const [first, ...others] = all;
  return first && others.reduce((sum, next) => merge(sum, next, merging), first);
}

/** What of it adds up for ever: without what is there at a moment. */
export const countedOf = ({ requests, latency, bytes_in, bytes_out, restarts, runs }: MinuteCounts) =>
  withoutUnknown({ requests, latency, bytes_in, bytes_out, restarts, runs });

function both<T>(a: T | undefined, b: T | undefined, join: (a: T, b: T) => T): T | undefined {
  return a === undefined || b === undefined ? (a ?? b) : join(a, b);
}

function withoutUnknown(counts: { [K in keyof MinuteCounts]: MinuteCounts[K] | undefined }): MinuteCounts {
  return Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== undefined));
}

const sum = (a: number | undefined, b: number | undefined): number => (a ?? 0) + (b ?? 0);

const addRequests = (a: RequestCounts, b: RequestCounts): RequestCounts => ({
  all: a.all + b.all,
  failed: sum(a.failed, b.failed),
  '1xx': sum(a['1xx'], b['1xx']),
  '2xx': sum(a['2xx'], b['2xx']),
  '3xx': sum(a['3xx'], b['3xx']),
  '4xx': sum(a['4xx'], b['4xx']),
  '5xx': sum(a['5xx'], b['5xx']),
});

type Restarts = NonNullable<MinuteCounts['restarts']>;

/** Those for which no reason has room. */
const OTHER = 'other';

/** With as many reasons as may be told. */
export function addRestarts(a: Restarts, b: Restarts): Restarts {
  const counts = new Map<string, number>();
  for (const { reason, count } of [...a, ...b]) {
    const hasRoom = counts.has(reason) || counts.size < RESTART_REASONS_MAX - 1;
    const name = hasRoom ? reason : OTHER;
    counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return [...counts].map(([reason, count]) => ({ reason, count }));
}

function addRuns(a: RunCounts, b: RunCounts, state: Gauge): RunCounts {
  const waiting = both(a.waiting, b.waiting, state);
  const durations = both<Histogram>(a.durations, b.durations, addHistograms);
  return {
    begun: sum(a.begun, b.begun),
    succeeded: sum(a.succeeded, b.succeeded),
    failed: sum(a.failed, b.failed),
    ...(waiting !== undefined && { waiting }),
    ...(durations !== undefined && { durations }),
  };
}
