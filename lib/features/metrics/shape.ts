import * as z from 'zod';
import { unmeasured } from '../../contract/deployments/counts.ts';
import { metricsPoint, metricsValues } from '../../contract/deployments/metrics.ts';
import { orNull } from '../../contract/validation/query.ts';
import { time } from '../../contract/validation/time.ts';

/** Seconds: a minute, five, a quarter of an hour, an hour, a day. */
const steps = [60, 300, 900, 3600, 86_400] as const;
const STEP_DEFAULT = 60;

/** So many points one answer has at most. */
export const POINTS_MAX = 1500;
/** So many revisions are shown by themselves; `total` has all of them. */
export const REVISIONS_SHOWN_MAX = 8;

/** By default the last hour, by minutes. Times become epoch milliseconds. */
export const metricsQuery = z.object({
  from: time.optional(),
  to: time.optional(),
  step: orNull(z.string().transform(Number).pipe(z.literal(steps)).default(STEP_DEFAULT)),
});

const figure = z.number().nullable();

/**
 * As last told, within the last hour: a figure of before that is null. `restarts_day`: within the last 24
 * hours.
 */
const nowView = z.object({
  at: z.string(),
  revision_id: z.guid(),
  in_flight: figure,
  streams: figure,
  servers_wanted: figure,
  servers_ready: figure,
  cpu_cores: figure,
  cpu_limit: figure,
  memory_bytes: figure,
  memory_limit: figure,
  restarts_day: figure,
  last_restart: z.object({ at: z.string(), reason: z.string() }).nullable(),
});

/**
 * `from` and `to` are multiples of `step`. A step in which nothing was told has no point. `missing`: what is
 * not measured, and why. `revisions`: those that served last, the newest first. `deploys`: what began to
 * serve in this time, the oldest first.
 */
export const metricsView = z.object({
  from: z.string(),
  to: z.string(),
  step: z.int(),
  source: z.enum(['listener', 'cloudwatch']).nullable(),
  missing: z.array(unmeasured),
  now: nowView.nullable(),
  total: z.array(metricsPoint),
  revisions: z.array(
    z.object({
      revision_id: z.guid(),
      number: z.int(),
      total: metricsValues,
      points: z.array(metricsPoint),
    }),
  ),
  deploys: z.array(z.object({ revision_id: z.guid(), number: z.int(), at: z.string() })),
});
export type MetricsView = z.infer<typeof metricsView>;

/** Version 0.0.4 of the text that Prometheus reads. */
export const exposedView = z.object({
  contentType: z.literal('text/plain; version=0.0.4'),
  text: z.string(),
});
export type Exposed = z.infer<typeof exposedView>;
