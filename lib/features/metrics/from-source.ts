import type { MetricsAnswer } from '../../adapters/metrics-source.ts';
import type { MetricsPoint } from '../../contract/deployments/metrics.ts';
import type { Deps } from '../../core/deps.ts';
import { deploymentRefOf } from '../../core/items/deployments.ts';
import { HOUR_MILLISECONDS } from '../../domain/metrics/times.ts';
import { joined } from '../../domain/metrics/values.ts';
import { allMissing } from './missing.ts';
import type { Answer, Asked } from './of-deployment.ts';
import { type MetricsView, REVISIONS_SHOWN_MAX } from './shape.ts';

const NOBODY = 'This installation does not measure what it runs itself.';

/** What somebody else has measured of a deployment that the installation runs itself. */
export async function fromSource(
  { metricsSource, clock }: Pick<Deps, 'metricsSource' | 'clock'>,
  asked: Asked,
): Promise<Answer> {
  const { deployment, deploys, time, stepMilliseconds } = asked;
  if (metricsSource === undefined)
    return { source: null, missing: allMissing(NOBODY), now: null, total: [], revisions: [] };
  const served = deploys
    .slice(0, REVISIONS_SHOWN_MAX)
    .map(({ revision: { id, number } }) => ({ id, number }));
  const answer = await metricsSource.read({
    ...deploymentRefOf(deployment),
    name: deployment.name,
    revisions: served,
    ...time,
    stepSeconds: stepMilliseconds / 1000,
  });
  const numbers = new Map(served.map(({ id, number }) => [id, number]));
  return {
    source: 'cloudwatch',
    missing: answer.missing,
    now: nowOf(answer, asked, clock.now()),
    total: togetherOf(answer.revisions.flatMap(({ points }) => points)),
    revisions: answer.revisions.flatMap(({ revision_id, points }) => {
      const number = numbers.get(revision_id);
      if (number === undefined || points.length === 0) return [];
      return [{ revision_id, number, total: joined(points, 'times'), points }];
    }),
  };
}

function togetherOf(points: readonly MetricsPoint[]): MetricsPoint[] {
  const steps = Map.groupBy(points, ({ at }) => at);
  return [...steps]
    .map(([at, same]) => ({ at, ...joined(same, 'revisions') }))
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** The last point of what serves, if it is of the last hour. */
function nowOf({ revisions, limits }: MetricsAnswer, { deployment }: Asked, now: number): MetricsView['now'] {
  const id = deployment.active?.revision_id;
  const last = revisions.find(({ revision_id }) => revision_id === id)?.points.at(-1);
  if (id === undefined || last === undefined || Date.parse(last.at) < now - HOUR_MILLISECONDS) return null;
  const { at, in_flight, streams, servers_wanted, servers_ready, cpu_cores, memory_bytes } = last;
  const told = { at, in_flight, streams, servers_wanted, servers_ready, cpu_cores, memory_bytes };
  return { ...told, ...limits, revision_id: id, restarts_day: null, last_restart: null };
}
