import { ValidationError } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { getDeploymentItem } from '../../core/items/deployments.ts';
import type { Deployment } from '../../core/items/items.ts';
import { isManaged } from '../../core/items/managed.ts';
import { HOUR_MILLISECONDS } from '../../domain/metrics/times.ts';
import { type Deploy, deploysOf } from './deploys.ts';
import { fromListener } from './from-listener.ts';
import { fromSource } from './from-source.ts';
import type { Time } from './measured.ts';
import type { getDeploymentMetrics as row } from './routes.ts';
import { type MetricsView, POINTS_MAX } from './shape.ts';

type MetricsDeps = Pick<Deps, 'table' | 'clock' | 'metricsSource'>;
type Query = RouteInput<typeof row>['query'];

/** What is asked for, with the deploys up to the one that served when the time began, the newest first. */
export type Asked = {
  deployment: Deployment;
  time: Time;
  stepMilliseconds: number;
  deploys: readonly Deploy[];
};
export type Answer = Pick<MetricsView, 'source' | 'missing' | 'now' | 'total' | 'revisions'>;

/**
 * What was measured of a deployment in a time: from what its listener has counted, or, where the installation
 * runs it itself, from who measures there. Throws `deployment_not_found`, and ValidationError for a time that
 * is no time or takes too many points.
 */
export async function getDeploymentMetrics(
  deps: MetricsDeps,
  { params, query }: Pick<RouteInput<typeof row>, 'params' | 'query'>,
  caller: Caller,
): Promise<MetricsView> {
  const deployment = await getDeploymentItem(deps.table, caller.tenantId, params.deployment_id);
  const stepMilliseconds = query.step * 1000;
  const time = timeOf(query, stepMilliseconds, deps.clock.now());
  const deploys = await deploysOf(deps.table, deployment, time);
  const asked = { deployment, time, stepMilliseconds, deploys };
  const answer = await (isManaged(deployment) ? fromSource(deps, asked) : fromListener(deps, asked));
  return {
    from: new Date(time.from).toISOString(),
    to: new Date(time.to).toISOString(),
    step: query.step,
    ...answer,
    deploys: deploys
      .filter(({ at }) => at >= time.from)
      .reverse()
      .map(({ revision, at }) => ({
        revision_id: revision.id,
        number: revision.number,
        at: new Date(at).toISOString(),
      })),
  };
}

/** The time that is asked for, in whole steps; by default an hour, or one step that is longer. */
function timeOf({ from: asked, to: until, step }: Query, stepMilliseconds: number, now: number): Time {
  const end = until ?? now;
  const to = Math.ceil(end / stepMilliseconds) * stepMilliseconds;
  const begin = asked ?? to - Math.max(HOUR_MILLISECONDS, stepMilliseconds);
  if (asked !== undefined && asked >= end) throw refusedTime(`it must be before 'to'`, asked);
  const from = Math.max(0, Math.floor(begin / stepMilliseconds) * stepMilliseconds);
  const points = (to - from) / stepMilliseconds;
  if (points <= POINTS_MAX) return { from, to };
  throw refusedTime(
    `with a step of ${step} seconds that is ${points} points, and ${POINTS_MAX} is the most: ask for a shorter time or a longer step`,
    begin,
  );
}

const refusedTime = (reason: string, from: number): ValidationError =>
  new ValidationError([
    {
      loc: ['query', 'from'],
      type: 'value_error',
      msg: `Value error, ${reason}`,
      input: new Date(from).toISOString(),
    },
  ]);
