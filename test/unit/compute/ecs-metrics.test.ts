import { CloudWatchClient, GetMetricDataCommand, type MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import type { MetricsQuery } from '../../../lib/adapters/metrics-source.ts';
import { createEcsMetrics } from '../../../lib/compute/ecs/metrics.ts';
import { tags } from '../../../lib/compute/ecs/names.ts';
import { metricsPoint } from '../../../lib/contract/deployments/metrics.ts';
import { lying, options, place, resetAccount } from '../../support/aws/ecs-account.ts';

const cloudWatch = mockClient(CloudWatchClient);

const listenerArn =
  'arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener/app/slipway/50dc6c495c0c9188/f2f7dc8efc522ab2';
const FROM = Date.parse('2026-11-27T10:00:00Z');
const minute = (n: number) => new Date(FROM + n * 60_000);

const query: MetricsQuery = {
  ...place,
  name: 'app',
  revisions: [
    { id: 'r2', number: 2 },
    { id: 'r1', number: 1 },
  ],
  from: FROM,
  to: FROM + 3 * 60_000,
  stepSeconds: 60,
};

/** Values by metric and statistic, as CloudWatch has them for the minutes given. */
type Recorded = Record<string, [minute: number, value: number][]>;

const busy: Recorded = {
  'RequestCount Sum': [
    [0, 120],
    [2, 30],
  ],
  'HTTPCode_Target_2XX_Count Sum': [
    [0, 110],
    [2, 30],
  ],
  'HTTPCode_Target_4XX_Count Sum': [[0, 6]],
  'HTTPCode_Target_5XX_Count Sum': [[0, 4]],
  'TargetConnectionErrorCount Sum': [[0, 1]],
  'TargetResponseTime p50': [
    [0, 0.1234],
    [2, 0.02],
  ],
  'TargetResponseTime p95': [
    [0, 1.5],
    [2, 0.03],
  ],
  'TargetResponseTime p99': [
    [0, 2.25],
    [2, 0.05],
  ],
  'HealthyHostCount Average': [
    [0, 2],
    [1, 2],
    [2, 2],
  ],
  'CPUUtilization Average': [
    [0, 50],
    [1, 1],
    [2, 10],
  ],
  'CPUUtilization SampleCount': [
    [0, 2],
    [1, 2],
    [2, 2],
  ],
  'MemoryUtilization Average': [
    [0, 25],
    [1, 25],
    [2, 50],
  ],
};

/** Answers every question with what was recorded, in pages of ten results. */
function recorded(values: Recorded): MetricDataQuery[][] {
  const asked: MetricDataQuery[][] = [];
  cloudWatch.on(GetMetricDataCommand).callsFake((input: GetMetricDataCommand['input']) => {
    const queries = input.MetricDataQueries ?? [];
    asked.push(queries);
    const from = Number(input.NextToken ?? 0);
    return {
      MetricDataResults: queries.slice(from, from + 10).map(({ Id, MetricStat: stat }) => {
        const rows = values[`${stat?.Metric?.MetricName} ${stat?.Stat}`] ?? [];
        return {
          Id,
          Label: stat?.Metric?.MetricName,
          Timestamps: rows.map(([at]) => minute(at)),
          Values: rows.map(([, value]) => value),
          StatusCode: 'Complete',
        };
      }),
      ...(from + 10 < queries.length && { NextToken: String(from + 10) }),
    };
  });
  return asked;
}

/** By default long after what was recorded. */
const aSource = (now: () => number = () => FROM + 86_400_000) =>
  createEcsMetrics({ cluster: options.cluster, listenerArn, now });

const own = (more: Record<string, string> = {}) =>
  lying({
    tags: { [tags.revision]: 'r2', [tags.cpu]: '512', [tags.memoryMb]: '1024', ...more },
  });

beforeEach(() => {
  resetAccount();
  cloudWatch.reset();
});

describe('what CloudWatch tells of agents on Fargate', () => {
  it('is the requests, response times, servers, processors and memory of a revision', async () => {
    own({ [tags.min]: '2', [tags.max]: '2' });
    recorded(busy);
    const answer = await aSource().read(query);
    const [first, second, third] = answer.revisions[0]?.points ?? [];
    expect(answer.revisions.map(({ revision_id: id, points }) => [id, points.length])).toEqual([['r2', 3]]);
    expect(first).toEqual({
      at: '2026-11-27T10:00:00.000Z',
      requests: { all: 120, '1xx': 0, '2xx': 110, '3xx': 0, '4xx': 6, '5xx': 4, failed: 5 },
      latency: { count: 120, p50_ms: 123.4, p95_ms: 1500, p99_ms: 2250 },
      bytes_in: null,
      bytes_out: null,
      streams: null,
      in_flight: null,
      servers_wanted: 2,
      servers_ready: 2,
      restarts: null,
      cpu_cores: 0.5,
      memory_bytes: 512 * 1024 ** 2,
      runs: null,
    });
    expect(second).toMatchObject({ requests: { all: 0 }, latency: null, cpu_cores: 0.01 });
    expect(third).toMatchObject({ requests: { all: 30 }, memory_bytes: 1024 ** 3 });
    for (const point of [first, second, third]) expect(metricsPoint.parse(point)).toEqual(point);
    expect(answer.limits).toEqual({ cpu_limit: 1, memory_limit: 2 * 1024 ** 3 });
    expect(answer.missing.map(({ what }) => what)).toEqual(['streams', 'bytes', 'restarts', 'runs']);
  });

  it('is asked of the target group and the service of the set, thirteen statistics each', async () => {
    own();
    const asked = recorded(busy);
    await aSource().read({ ...query, stepSeconds: 300 });
    const [queries = []] = asked;
    expect(queries).toHaveLength(13);
    const dimensions = queries.map(({ MetricStat: stat }) =>
      (stat?.Metric?.Dimensions ?? []).map(({ Name, Value }) => `${Name}=${Value}`).join(' '),
    );
    expect([...new Set(dimensions)]).toEqual([
      'LoadBalancer=app/slipway/50dc6c495c0c9188 TargetGroup=target',
      'ClusterName=agents ServiceName=slipway_0190-tenant_0190-deployment_0123456789ab',
    ]);
    expect(new Set(queries.map(({ MetricStat: stat }) => stat?.Period))).toEqual(new Set([300]));
    expect(new Set(queries.map(({ Id: id }) => id)).size).toBe(13);
    for (const { Id: id } of queries) expect(id).toMatch(/^[a-z][a-zA-Z0-9_]*$/);
  });

  it('of longer steps is averaged over the tasks of each minute', async () => {
    own({ [tags.min]: '1', [tags.max]: '4' });
    recorded({ ...busy, 'CPUUtilization SampleCount': [[0, 15]] });
    const { revisions, limits } = await aSource().read({ ...query, stepSeconds: 300 });
    expect(revisions[0]?.points[0]).toMatchObject({ cpu_cores: 0.75, servers_wanted: null });
    expect(limits.cpu_limit).toBe(1);
  });

  it('of a step that is not over is averaged over the minutes that are', async () => {
    own();
    recorded({ ...busy, 'CPUUtilization SampleCount': [[0, 20]] });
    const now = () => FROM + 10.5 * 60_000;
    const { revisions } = await aSource(now).read({ ...query, to: FROM + 3_600_000, stepSeconds: 3600 });
    expect(revisions[0]?.points[0]).toMatchObject({ cpu_cores: 0.5, memory_bytes: 512 * 1024 ** 2 });
  });

  it('is asked once a minute, however many look', async () => {
    own();
    let now = 0;
    const asked = recorded(busy);
    const source = aSource(() => now);
    const [one, other] = await Promise.all([source.read(query), source.read({ ...query })]);
    expect(one).toEqual(other);
    const pages = asked.length;
    now = 59_000;
    await source.read(query);
    expect(asked).toHaveLength(pages);
    now = 60_000;
    await source.read(query);
    expect(asked).toHaveLength(2 * pages);
    await source.read({ ...query, from: query.from - 60_000 });
    expect(asked).toHaveLength(3 * pages);
  });

  it('that failed is asked again', async () => {
    own();
    cloudWatch.on(GetMetricDataCommand).rejectsOnce(new Error('Throttling'));
    const source = aSource();
    await expect(source.read(query)).rejects.toThrow('Throttling');
    recorded(busy);
    expect((await source.read(query)).revisions).toHaveLength(1);
  });

  it('of a deployment whose servers are gone is nothing, and costs nothing', async () => {
    lying(undefined);
    const asked = recorded(busy);
    expect(await aSource().read(query)).toMatchObject({
      revisions: [],
      limits: { cpu_limit: null, memory_limit: null },
    });
    own({ [tags.revision]: 'another' });
    expect((await aSource().read(query)).revisions).toEqual([]);
    expect(asked).toEqual([]);
  });
});
