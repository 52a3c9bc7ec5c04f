import * as z from 'zod';
import { withoutNulls } from '../validation/json.ts';
import { LATENCY_BUCKETS } from './latency-bounds.ts';

/**
 * What a listener counts in one minute of one revision, as it is sent with a claim, kept and added up.
 */

/** So many rows one claim carries. What is left comes with the next. */
export const COUNTS_ROWS_MAX = 100;

/** Counts of so long ago are taken; what is older is passed over. */
export const COUNTS_MINUTES_MAX = 120;

/** So many reasons of restarts in one minute are told apart. */
export const RESTART_REASONS_MAX = 8;

/** More than anything is counted in a minute, and few enough that sums of it stay exact. */
const COUNT_MAX = 1e12;

const count = () => z.int().min(0).max(COUNT_MAX);
const cores = () => z.number().min(0).max(1e6);
const bytes = () => z.int().min(0).max(1e15);

/**
 * How long something took, how often: `counts[i]` is of the bucket up to `LATENCY_BOUNDS_MS[i]`, and zeros at
 * the end are left out. `sum_ms`: all of it together.
 */
export const histogram = z.object({
  counts: z.array(count()).max(LATENCY_BUCKETS),
  sum_ms: z.int().min(0).max(1e15),
});
export type Histogram = z.infer<typeof histogram>;

/** Requests by the class of their status. Absent: none. */
const classes = {
  '1xx': count().nullish(),
  '2xx': count().nullish(),
  '3xx': count().nullish(),
  '4xx': count().nullish(),
  '5xx': count().nullish(),
};

/**
 * `all`: how many requests ended in this minute. `failed`: how many of those with a 5xx, or without a whole
 * answer.
 */
export const requestCounts = z
  .object({ all: count(), failed: count().nullish(), ...classes })
  .transform(withoutNulls);
export type RequestCounts = z.infer<typeof requestCounts>;

/** A word or two, as an operating system or a cluster has it: `OOMKilled`, `exit code 1`, `SIGSEGV`. */
export const restartReason = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9 ._()-]{0,63}$/);

/**
 * Runs of an agent server. `begun`, `succeeded` and `failed` happened in this minute; `waiting`: how many
 * wait for a worker at its end. `durations`: of those that ended.
 */
export const runCounts = z
  .object({
    begun: count().nullish(),
    succeeded: count().nullish(),
    failed: count().nullish(),
    waiting: count().nullish(),
    durations: histogram.nullish(),
  })
  .transform(withoutNulls);
export type RunCounts = z.infer<typeof runCounts>;

/**
 * One minute. An absent field is not known, which is something else than zero: who counts requests sends
 * `requests: {all: 0}`. `streams` and `in_flight`: the most at any moment of the minute; the servers, their
 * processors and their memory: as at its end. Limits are of all servers together.
 */
const minuteFields = {
  requests: requestCounts.nullish(),
  latency: histogram.nullish(),
  bytes_in: bytes().nullish(),
  bytes_out: bytes().nullish(),
  streams: count().nullish(),
  in_flight: count().nullish(),
  servers_wanted: count().nullish(),
  servers_ready: count().nullish(),
  restarts: z
    .array(z.object({ reason: restartReason, count: count() }))
    .max(RESTART_REASONS_MAX)
    .nullish(),
  cpu_cores: cores().nullish(),
  cpu_limit: cores().nullish(),
  memory_bytes: bytes().nullish(),
  memory_limit: bytes().nullish(),
  runs: runCounts.nullish(),
};

/** `minute`: minutes since 1970. Sent again, a minute replaces what the same instance has sent of it. */
export const countsRow = z
  .object({
    deployment_id: z.guid(),
    revision_id: z.guid(),
    minute: z.int().min(0).max(1e9),
    ...minuteFields,
  })
  .transform(withoutNulls);
export type CountsRow = z.infer<typeof countsRow>;
export type MinuteCounts = Omit<CountsRow, 'deployment_id' | 'revision_id' | 'minute'>;

/** What can be measured of a deployment. */
export const measured = [
  'requests',
  'latency',
  'streams',
  'bytes',
  'servers',
  'restarts',
  'cpu',
  'memory',
  'runs',
] as const;
export type Measured = (typeof measured)[number];

/** What is not measured, with the reason as a sentence for people. */
export const unmeasured = z.object({ what: z.enum(measured), why: z.string().min(1).max(300) });
export type Unmeasured = z.infer<typeof unmeasured>;
