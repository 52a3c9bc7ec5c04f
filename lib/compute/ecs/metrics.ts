import { CloudWatchClient, GetMetricDataCommand, type MetricDataResult } from '@aws-sdk/client-cloudwatch';
import { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { MetricsAnswer, MetricsQuery, MetricsSource } from '../../adapters/metrics-source.ts';
import type { Unmeasured } from '../../contract/deployments/counts.ts';
import type { MetricsPoint } from '../../contract/deployments/metrics.ts';
import { type MeasuredSet, measuredSets } from './measured-sets.ts';
import { type Measured, minutesOf, pointOf } from './metrics-points.ts';
import { type Asked, askedNames, idOf, type Place, queriesOf } from './metrics-queries.ts';

/** What somebody has asked is answered the same for so long: each question costs money. */
const KEPT_MILLISECONDS = 60_000;
/** So many answers are kept; each is some hundred kilobytes at most. */
const KEPT_MAX = 50;

const missing: Unmeasured[] = [
  { what: 'streams', why: 'The load balancer counts no open streams of one deployment.' },
  { what: 'bytes', why: 'The load balancer counts bytes of all deployments together.' },
  {
    what: 'restarts',
    why: 'Fargate puts a new task in the place of one that has ended, and counts neither.',
  },
  { what: 'runs', why: 'The agent server in the image does not tell Slipway of its runs.' },
];

type Parts = Place & { now: () => number };

/** What CloudWatch has measured of agents on Fargate. Answers are up to a minute old. */
export function createEcsMetrics(parts: Parts): MetricsSource {
  const cloudWatch = new CloudWatchClient();
  const elb = new ElasticLoadBalancingV2Client();
  const kept = new Map<string, { at: number; answer: Promise<MetricsAnswer> }>();
  const ask = async (query: MetricsQuery): Promise<MetricsAnswer> => {
    const wanted = new Set(query.revisions.map(({ id }) => id));
    const all = await measuredSets({ elb }, query);
    const sets = all.filter(({ revisionId }) => wanted.has(revisionId));
    const results = sets.length === 0 ? [] : await resultsOf(cloudWatch, sets, parts, query);
    return answerOf(sets, results, query, parts.now());
  };
  return {
    read: (query) => {
      const { deploymentId, from, to, stepSeconds, revisions } = query;
      const key = JSON.stringify([deploymentId, from, to, stepSeconds, revisions.map(({ id }) => id)]);
      const now = parts.now();
      const known = kept.get(key);
      if (known !== undefined && now - known.at < KEPT_MILLISECONDS) return known.answer;
      const answer = ask(query);
      kept.delete(key);
      kept.set(key, { at: now, answer });
      const [oldest] = kept.keys();
      if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
      // What has failed is asked again.
      answer.catch(() => kept.delete(key));
      return answer;
    },
  };
}

async function resultsOf(
  cloudWatch: CloudWatchClient,
  sets: readonly MeasuredSet[],
  place: Place,
  { from, to, stepSeconds }: MetricsQuery,
): Promise<MetricDataResult[]> {
  const results: MetricDataResult[] = [];
  let token: string | undefined;
  do {
    const answer = await cloudWatch.send(
      new GetMetricDataCommand({
        MetricDataQueries: queriesOf(sets, place, stepSeconds),
        StartTime: new Date(from),
        EndTime: new Date(to),
        ScanBy: 'TimestampAscending',
        NextToken: token,
      }),
    );
    results.push(...(answer.MetricDataResults ?? []));
    token = answer.NextToken;
  } while (token !== undefined);
  return results;
}

function answerOf(
  sets: readonly MeasuredSet[],
  results: readonly MetricDataResult[],
  { revisions, stepSeconds }: MetricsQuery,
  now: number,
): MetricsAnswer {
  const measured = sets.map((set, index) => measuredOf(index, set, results));
  const rows = revisions.flatMap(({ id }) => {
    const own = measured.filter(({ set }) => set.revisionId === id);
    const points = pointsOf(own, stepSeconds, now);
    return points.length === 0 ? [] : [{ revision_id: id, points }];
  });
  const serving = sets.find(({ revisionId }) => revisionId === revisions[0]?.id);
  const servers = rows[0]?.points.at(-1)?.servers_ready ?? serving?.wanted;
  const limitOf = (each: number | undefined) =>
    each === undefined || servers === undefined ? null : each * servers;
  return {
    missing,
    revisions: rows,
    limits: {
      cpu_limit: limitOf(serving && serving.cpuUnits / 1024),
      memory_limit: limitOf(serving && serving.memoryMb * 1024 ** 2),
    },
  };
}

/** The values of one set, by time. */
function measuredOf(index: number, set: MeasuredSet, results: readonly MetricDataResult[]): Measured {
  const names = new Map(askedNames.map((name) => [idOf(index, name), name]));
  const at = new Map<number, Partial<Record<Asked, number>>>();
  for (const { Id: id = '', Timestamps: times = [], Values: values = [] } of results) {
    const name = names.get(id);
    if (name === undefined) continue;
    for (const [position, time] of times.entries()) {
      const found = at.get(time.getTime()) ?? {};
      found[name] = values[position] ?? 0;
      at.set(time.getTime(), found);
    }
  }
  return { set, at };
}

function pointsOf(measured: readonly Measured[], stepSeconds: number, now: number): MetricsPoint[] {
  const times = new Set(measured.flatMap(({ at }) => [...at.keys()]));
  return [...times]
    .toSorted((one, other) => one - other)
    .map((time) => pointOf(measured, time, minutesOf(time, stepSeconds, now)));
}
