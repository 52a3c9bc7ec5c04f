import * as z from 'zod';

/** What was measured of a deployment, as it is shown. What is not known is null. */

const number = () => z.number().nullable();

/** Null: nothing was measured. */
const duration = { p50_ms: number(), p95_ms: number() };

export const metricsValues = z.object({
  requests: z
    .object({
      all: z.int(),
      '1xx': z.int(),
      '2xx': z.int(),
      '3xx': z.int(),
      '4xx': z.int(),
      '5xx': z.int(),
      failed: z.int(),
    })
    .nullable(),
  latency: z.object({ count: z.int(), ...duration, p99_ms: number() }).nullable(),
  bytes_in: number(),
  bytes_out: number(),
  streams: number(),
  in_flight: number(),
  servers_wanted: number(),
  servers_ready: number(),
  restarts: z.array(z.object({ reason: z.string(), count: z.int() })).nullable(),
  cpu_cores: number(),
  memory_bytes: number(),
  runs: z
    .object({
      begun: z.int(),
      succeeded: z.int(),
      failed: z.int(),
      waiting: z.int(),
      ...duration,
    })
    .nullable(),
});
export type MetricsValues = z.infer<typeof metricsValues>;

/** The values of the `step` seconds from `at` on, which is a multiple of `step`. */
export const metricsPoint = z.object({ at: z.string(), ...metricsValues.shape });
export type MetricsPoint = z.infer<typeof metricsPoint>;

/**
 * The last hour in steps of five minutes from `from` on: null for a step in which nothing was told.
 * `a_minute`: requests a minute, over the hour. `restarts`: within the hour.
 */
export const trafficView = z.object({
  step: z.int(),
  from: z.string(),
  requests: z.array(number()),
  failed: z.array(number()),
  a_minute: number(),
  restarts: number(),
});
export type TrafficView = z.infer<typeof trafficView>;
