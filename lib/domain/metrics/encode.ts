import type { Histogram, MinuteCounts, RequestCounts, RunCounts } from '../../contract/deployments/counts.ts';
import { LATENCY_BUCKETS } from '../../contract/deployments/latency-bounds.ts';

/**
 * Counts as a short text: fields behind a letter each, between semicolons, numbers to the base 36. What is
 * not known is left out. A letter that is not known here is passed over, so a later release may add some.
 */

/** One character a bucket. */
const BUCKETS = '0123456789abcdefghijklmnopqrstuvwxyz_'.slice(0, LATENCY_BUCKETS);

const text = (value: number): string => value.toString(36);

function number(written: string): number {
  const value = Number.parseInt(written, 36);
  if (Number.isNaN(value)) throw new Error('Stored counts hold what is no number.');
  return value;
}

const numbersIn = (written: string): number[] => (written === '' ? [] : written.split('.').map(number));

/** Zeros at the end are left out. */
const list = (values: readonly (number | undefined)[]): string =>
  values
    .slice(0, values.findLastIndex((value) => (value ?? 0) > 0) + 1)
    .map((value) => text(value ?? 0))
    .join('.');

const histogramText = ({ sum_ms, counts }: Histogram): string =>
  [
    text(sum_ms),
    ...counts.flatMap((count, bucket) => (count > 0 ? [`${BUCKETS[bucket]}${text(count)}`] : [])),
  ].join(',');

function histogramOf(written: string): Histogram {
  const [sum = '', ...filled] = written.split(',');
  const counts: number[] = [];
  for (const each of filled) {
    const bucket = BUCKETS.indexOf(each.slice(0, 1));
    while (counts.length < bucket) counts.push(0);
    counts.push(number(each.slice(1)));
  }
  return { counts, sum_ms: number(sum) };
}

const requestsText = (counts: RequestCounts): string =>
  list([
    counts.all,
    counts.failed,
    counts['1xx'],
    counts['2xx'],
    counts['3xx'],
    counts['4xx'],
    counts['5xx'],
  ]);

function requestsOf(written: string): RequestCounts {
  const [all = 0, failed = 0, first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = numbersIn(written);
  return { all, failed, '1xx': first, '2xx': second, '3xx': third, '4xx': fourth, '5xx': fifth };
}

const runsText = ({ begun, succeeded, failed }: RunCounts): string => list([begun, succeeded, failed]);

function runsOf(written: string): RunCounts {
  const [begun = 0, succeeded = 0, failed = 0] = numbersIn(written);
  return { begun, succeeded, failed };
}

type Restarts = NonNullable<MinuteCounts['restarts']>;

const restartsText = (restarts: Restarts): string =>
  restarts.map(({ reason, count }) => `${reason}=${text(count)}`).join(',');

const restartsOf = (written: string): Restarts =>
  written
    .split(',')
    .filter((each) => each !== '')
    .map((each) => {
      const [reason = '', count = ''] = each.split('=');
      return { reason, count: number(count) };
    });

const thousandths = (cores: number): string => text(Math.round(cores * 1000));
const cores = (written: string): number => number(written) / 1000;

/** Writes and reads one field; `undefined`: it is not known. */
type Field = {
  write: (counts: MinuteCounts) => string | undefined;
  read: (written: string, into: MinuteCounts) => void;
};

const maybe = <T>(value: T | undefined, write: (value: T) => string): string | undefined =>
  value === undefined ? undefined : write(value);

type Name<T> = {
  [K in keyof MinuteCounts]-?: NonNullable<MinuteCounts[K]> extends T ? K : never;
}[keyof MinuteCounts];

const plain = (name: Name<number>, write = text, read = number): Field => ({
  write: (counts) => maybe(counts[name], write),
  read: (written, into) => {
    into[name] = read(written);
  },
});

const fields: Record<string, Field> = {
  r: {
    write: ({ requests }) => maybe(requests, requestsText),
    read: (written, into) => {
      into.requests = requestsOf(written);
    },
  },
  l: {
    write: ({ latency }) => maybe(latency, histogramText),
    read: (written, into) => {
      into.latency = histogramOf(written);
    },
  },
  i: plain('bytes_in'),
  o: plain('bytes_out'),
  s: plain('streams'),
  f: plain('in_flight'),
  w: plain('servers_wanted'),
  y: plain('servers_ready'),
  x: {
    write: ({ restarts }) => maybe(restarts, restartsText),
    read: (written, into) => {
      into.restarts = restartsOf(written);
    },
  },
  c: plain('cpu_cores', thousandths, cores),
  C: plain('cpu_limit', thousandths, cores),
  m: plain('memory_bytes'),
  M: plain('memory_limit'),
  b: {
    write: ({ runs }) => maybe(runs, runsText),
    read: (written, into) => {
      into.runs = { ...into.runs, ...runsOf(written) };
    },
  },
  q: {
    write: ({ runs }) => maybe(runs?.waiting, text),
    read: (written, into) => {
      into.runs = { ...into.runs, waiting: number(written) };
    },
  },
  d: {
    write: ({ runs }) => maybe(runs?.durations, histogramText),
    read: (written, into) => {
      into.runs = { ...into.runs, durations: histogramOf(written) };
    },
  },
};

/** Processors are kept in thousandths. */
export const encodeCounts = (counts: MinuteCounts): string =>
  Object.entries(fields)
    .flatMap(([letter, { write }]) => {
      const written = write(counts);
      return written === undefined ? [] : [`${letter}${written}`];
    })
    .join(';');

export function decodeCounts(written: string): MinuteCounts {
  const counts: MinuteCounts = {};
  for (const field of written.split(';')) fields[field.slice(0, 1)]?.read(field.slice(1), counts);
  return counts;
}
