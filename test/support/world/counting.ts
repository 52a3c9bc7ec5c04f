import type { CountsRow } from '../../../lib/contract/deployments/counts.ts';
import { LATENCY_BOUNDS_MS } from '../../../lib/contract/deployments/latency-bounds.ts';
import { rollUpMetrics } from '../../../lib/core/engine/roll-up-metrics.ts';
import { HistogramCounter } from '../../../lib/domain/metrics/histogram.ts';
import { HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../../lib/domain/metrics/times.ts';
import { claimTasks } from '../../../lib/features/listener-protocol/claim.ts';
import { claimTasks as row } from '../../../lib/features/listener-protocol/routes.ts';
import type { Listening } from './listening.ts';

/** Moves the clock to the beginning of an hour. */
export function atFullHour({ deps, advance }: Listening): void {
  advance((HOUR_MILLISECONDS - (deps.clock.now() % HOUR_MILLISECONDS)) / 1000);
}

/** The minute that was over last. */
export const lastMinute = ({ deps }: Listening): number =>
  Math.floor(deps.clock.now() / MINUTE_MILLISECONDS) - 1;

export type Of = { id: string; revisionId: string };

/** A minute of a revision in which nothing is known but this. */
export const minuteOf = (
  { id, revisionId }: Of,
  minute: number,
  counts: Omit<CountsRow, 'deployment_id' | 'revision_id' | 'minute'>,
): CountsRow => ({ deployment_id: id, revision_id: revisionId, minute, ...counts });

type Said = { counts?: readonly CountsRow[]; missing?: object[]; reports?: object[] };

/** A claim that carries counts, as our listener makes it. */
export function claimWith(world: Listening, said: Said, instance_id = 'one') {
  const body = row.body.parse({ instance_id, max: 1, wait_seconds: 0, ...said });
  return claimTasks(world.deps, { params: { listener_id: world.listenerId }, body }, world.caller);
}

/** What sweep does of what was measured of a deployment, once that is due. */
export const rollUp = ({ deps, caller }: Listening, deploymentId: string) =>
  rollUpMetrics(deps, { tenantId: caller.tenantId, deploymentId });

/** A request of known latency and status. */
export type Request = { milliseconds: number; status: number };

const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** What a listener counts of these requests. */
export function countsOf(requests: readonly Request[]) {
  const latency = new HistogramCounter();
  const counts = { all: 0, failed: 0, '1xx': 0, '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 };
  for (const { milliseconds, status } of requests) {
    latency.add(milliseconds);
    counts.all += 1;
    if (status >= 500) counts.failed += 1;
    const name = CLASSES[Math.floor(status / 100) - 1];
    if (name !== undefined) counts[name] += 1;
  }
  return { requests: counts, latency: latency.take() };
}

/** The bounds of the bucket of a duration. */
export function bucketAround(milliseconds: number): { from: number; to: number } {
  const place = LATENCY_BOUNDS_MS.findIndex((bound) => milliseconds <= bound);
  return { from: LATENCY_BOUNDS_MS[place - 1] ?? 0, to: LATENCY_BOUNDS_MS[place] ?? Infinity };
}
