import type { MetricsPoint } from '../../lib/contract/deployments/metrics.ts';
import { amount, bytes, cores, latency, percent } from './amount.ts';
import {
  type Axis,
  type Chart,
  type Line,
  lastOf,
  type Mark,
  peakOf,
  shareOf,
  slotted,
  type Value,
} from './chart.ts';

type Point = MetricsPoint;

const MINUTE_MILLISECONDS = 60_000;

/** How far back charts look, and how wide their slots are, in seconds. */
export const spans = {
  hour: { title: 'Last hour', words: 'the last hour', seconds: 3_600, step: 60 },
  day: { title: 'Day', words: 'the last day', seconds: 86_400, step: 900 },
  week: { title: 'Week', words: 'the last week', seconds: 604_800, step: 3_600 },
  month: { title: 'Month', words: 'the last 30 days', seconds: 2_592_000, step: 86_400 },
} as const;
export type Span = keyof typeof spans;
export const spanNames = ['hour', 'day', 'week', 'month'] as const satisfies Span[];

/** The axis of an answer: what began before `from` and what goes on is not shown. */
export function axisOf({ from, to, step }: { from: string; to: string; step: number }): Axis {
  const milliseconds = step * 1_000;
  const begins = Math.floor(Date.parse(from) / milliseconds) * milliseconds;
  const slots = Math.max(1, Math.ceil((Date.parse(to) - begins) / milliseconds));
  return { from: begins, step: milliseconds, slots };
}

/** The deploys of an answer as marks that lead to their revisions. */
export const marksOf = (
  deploymentId: string,
  deploys: readonly { revision_id: string; number: number; at: string }[],
): Mark[] =>
  deploys.map(({ revision_id: id, number, at }) => ({
    at: Date.parse(at),
    number,
    href: `/deployments/${deploymentId}/revisions/${id}`,
  }));

const perMinute = (count: number, { step }: Axis): number => (count * MINUTE_MILLISECONDS) / step;

/** A sentence that says how something went: from its first value to its last, and its most. */
function courseOf(what: string, values: readonly Value[], format: Chart['format'], words: string): string {
  const numbers = values.filter((value) => typeof value === 'number');
  const [first] = numbers;
  const last = lastOf(values);
  const peak = peakOf(values);
  if (first === undefined || last === null || peak === null)
    return `${what} over ${words}: nothing was measured`;
  if (peak === 0) return `${what} over ${words}: none`;
  return `${what} over ${words}: from ${format(first)} to ${format(last)}, at most ${format(peak)}`;
}

const peakWords = (values: readonly Value[], format: Chart['format']): string | undefined => {
  const peak = peakOf(values);
  return peak === null || peak === 0 ? undefined : `peak ${format(peak)}`;
};

type Look = { axis: Axis; points: readonly Point[]; words: string };
type Drawn = {
  title: string;
  unit: string;
  lines: readonly [Line, ...Line[]];
  format: Chart['format'];
  figure?: string | null;
};

function chartOf({ title, unit, lines, format, figure }: Drawn, words: string): Chart {
  const [{ values }] = lines;
  const last = lastOf(values);
  return {
    title,
    unit,
    lines,
    format,
    figure: figure === undefined ? (last === null ? null : format(last)) : figure,
    beside: peakWords(values, format),
    says: courseOf(title, values, format, words),
  };
}

const line = (
  title: string,
  tone: Line['tone'],
  { axis, points }: Look,
  valueOf: (point: Point) => Value,
): Line => ({ title, tone, values: slotted(points, axis, valueOf) });

const rateOf = (axis: Axis, pick: (requests: NonNullable<Point['requests']>) => number) => (point: Point) =>
  point.requests && perMinute(pick(point.requests), axis);

const latencyOf =
  (field: 'p50_ms' | 'p95_ms' | 'p99_ms') =>
  (point: Point): Value =>
    point.latency === null || point.latency.count === 0
      ? point.requests === null
        ? null
        : 'none'
      : (point.latency[field] ?? 'none');

const sum = (points: readonly Point[], pick: (point: Point) => number | null | undefined): number =>
  points.reduce((all, point) => all + (pick(point) ?? 0), 0);

export function requestsChart(look: Look): Chart {
  const lines = [
    line(
      'Requests',
      'requests',
      look,
      rateOf(look.axis, ({ all }) => all),
    ),
  ] as const;
  return chartOf({ title: 'Requests', unit: 'a minute', lines, format: amount }, look.words);
}

/** Failed requests as a share, with the counts in words. */
export function errorsChart(look: Look): Chart {
  const share = ({ requests }: Point): Value => {
    if (requests === null) return null;
    const value = shareOf(requests.failed, requests.all);
    return value === 'none' ? 0 : value;
  };
  const lines = [line('Errors', 'errors', look, share)] as const;
  const all = sum(look.points, ({ requests }) => requests?.all);
  const failed = sum(look.points, ({ requests }) => requests?.failed);
  const isKnown = look.points.some(({ requests }) => requests !== null);
  const unit = isKnown ? `${amount(failed)} of ${amount(all)}` : '';
  const figure = isKnown ? percent(all === 0 ? 0 : failed / all) : null;
  return chartOf({ title: 'Errors', unit, lines, format: percent, figure }, look.words);
}

export function slowestChart(look: Look): Chart {
  const lines = [line('p95', 'latency', look, latencyOf('p95_ms'))] as const;
  const half = lastOf(slotted(look.points, look.axis, latencyOf('p50_ms')));
  const unit = half === null ? '' : `half are under ${latency(half)}`;
  return chartOf({ title: 'Slowest 5 % (p95)', unit, lines, format: latency }, look.words);
}

/** Requests by class of their status. */
export function classesChart(look: Look): Chart {
  const of = (title: string, tone: Line['tone'], name: '2xx' | '3xx' | '4xx' | '5xx') =>
    line(
      title,
      tone,
      look,
      rateOf(look.axis, (requests) => requests[name]),
    );
  const lines = [
    line(
      'All',
      'requests',
      look,
      rateOf(look.axis, ({ all }) => all),
    ),
    of('2xx', 'ok', '2xx'),
    of('3xx', 'none', '3xx'),
    of('4xx', 'warn', '4xx'),
    of('5xx', 'errors', '5xx'),
  ] as const;
  return chartOf({ title: 'Requests by status', unit: 'a minute', lines, format: amount }, look.words);
}

export function percentilesChart(look: Look): Chart {
  const lines = [
    line('p95', 'latency', look, latencyOf('p95_ms')),
    line('p50', 'latency low', look, latencyOf('p50_ms')),
    line('p99', 'latency high', look, latencyOf('p99_ms')),
  ] as const;
  return chartOf({ title: 'Latency', unit: 'p95', lines, format: latency }, look.words);
}

/** The charts of the page that are one or two plain lines each. */
const plain: readonly {
  title: string;
  unit: string;
  format: Chart['format'];
  lines: readonly (readonly [string, Line['tone'], (point: Point, axis: Axis) => Value])[];
}[] = [
  {
    title: 'Bytes',
    unit: 'sent a minute',
    format: bytes,
    lines: [
      ['Sent', 'requests', ({ bytes_out: out }, axis) => out && perMinute(out, axis)],
      ['Received', 'other', ({ bytes_in: received }, axis) => received && perMinute(received, axis)],
    ],
  },
  {
    title: 'Open now',
    unit: 'requests in flight',
    format: amount,
    lines: [
      ['In flight', 'requests', ({ in_flight: open }) => open],
      ['Streams', 'other', ({ streams }) => streams],
    ],
  },
  {
    title: 'Servers',
    unit: 'ready',
    format: amount,
    lines: [
      ['Ready', 'ok', ({ servers_ready: ready }) => ready],
      ['Wanted', 'none', ({ servers_wanted: wanted }) => wanted],
    ],
  },
  {
    title: 'Processor',
    unit: 'cores',
    format: cores,
    lines: [['Cores', 'requests', (point) => point.cpu_cores]],
  },
  { title: 'Memory', unit: '', format: bytes, lines: [['Memory', 'other', (point) => point.memory_bytes]] },
];

export const restartsOf = ({ restarts }: Pick<Point, 'restarts'>): number | null =>
  restarts && restarts.reduce((all, { count }) => all + count, 0);

function restartsChart(look: Look): Chart {
  const lines = [line('Restarts', 'errors', look, restartsOf)] as const;
  const figure = amount(sum(look.points, restartsOf));
  return chartOf({ title: 'Restarts', unit: `in ${look.words}`, lines, format: amount, figure }, look.words);
}

function runsCharts(look: Look): Chart[] {
  if (!look.points.some(({ runs }) => runs !== null)) return [];
  const of = (title: string, tone: Line['tone'], name: 'begun' | 'succeeded' | 'failed' | 'waiting') =>
    line(title, tone, look, ({ runs }) => runs && runs[name]);
  const counted = [
    of('Succeeded', 'ok', 'succeeded'),
    of('Failed', 'errors', 'failed'),
    of('Waiting', 'warn', 'waiting'),
  ] as const;
  const took = [
    line('p95', 'latency', look, ({ runs }) => runs && (runs.p95_ms ?? 'none')),
    line('p50', 'latency low', look, ({ runs }) => runs && (runs.p50_ms ?? 'none')),
  ] as const;
  const figure = amount(sum(look.points, ({ runs }) => runs?.succeeded));
  return [
    chartOf({ title: 'Runs', unit: 'succeeded', lines: counted, format: amount, figure }, look.words),
    chartOf({ title: 'Duration of runs', unit: 'p95', lines: took, format: latency }, look.words),
  ];
}

const hasData = ({ lines }: Chart): boolean =>
  lines.some(({ values }) => values.some((value) => value !== null));

/** Every chart of which something is known, but for those of requests and latency, which always stand there. */
export function furtherCharts(look: Look): Chart[] {
  const drawn = plain.map(({ title, unit, format, lines: [first, ...rest] }) => {
    const of = ([name, tone, valueOf]: NonNullable<typeof first>) =>
      line(name, tone, look, (point) => valueOf(point, look.axis));
    const lines: [Line, ...Line[]] = [of(first ?? ['', 'none', () => null]), ...rest.map(of)];
    return chartOf({ title, unit, lines, format }, look.words);
  });
  return [...drawn, restartsChart(look), ...runsCharts(look)].filter(hasData);
}

/** So many restarts within `LOOP_MILLISECONDS` are no accident. */
const LOOP_RESTARTS = 3;
const LOOP_MILLISECONDS = 900_000;

/** Whether servers start again and again: how often within the last minutes, and why. `now` in epoch milliseconds. */
export function crashLoopIn(
  points: readonly Point[],
  now: number,
): { restarts: number; reason: string } | undefined {
  const recent = points.filter(({ at }) => now - Date.parse(at) <= LOOP_MILLISECONDS);
  const restarts = sum(recent, restartsOf);
  if (restarts < LOOP_RESTARTS) return undefined;
  const reason = recent
    .findLast(({ restarts: each }) => each !== null && each.length > 0)
    ?.restarts?.at(-1)?.reason;
  return { restarts, reason: reason ?? '' };
}
