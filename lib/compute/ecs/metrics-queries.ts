import type { MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import type { MeasuredSet } from './measured-sets.ts';
import { serviceName } from './names.ts';

type Where = 'target' | 'service';
type Metric = { namespace: string; where: Where; metric: string; stat: string };

const BALANCER = 'AWS/ApplicationELB';
const ECS = 'AWS/ECS';
const target = (metric: string, stat: string): Metric => ({
  namespace: BALANCER,
  where: 'target',
  metric,
  stat,
});
const service = (metric: string, stat: string): Metric => ({
  namespace: ECS,
  where: 'service',
  metric,
  stat,
});

/** What is asked of each set of servers. Statistics of one metric are charged as one. */
export const asked = {
  requests: target('RequestCount', 'Sum'),
  two: target('HTTPCode_Target_2XX_Count', 'Sum'),
  three: target('HTTPCode_Target_3XX_Count', 'Sum'),
  four: target('HTTPCode_Target_4XX_Count', 'Sum'),
  five: target('HTTPCode_Target_5XX_Count', 'Sum'),
  broken: target('TargetConnectionErrorCount', 'Sum'),
  p50: target('TargetResponseTime', 'p50'),
  p95: target('TargetResponseTime', 'p95'),
  p99: target('TargetResponseTime', 'p99'),
  healthy: target('HealthyHostCount', 'Average'),
  /** Per cent of what the tasks of the service have reserved. */
  cpu: service('CPUUtilization', 'Average'),
  /** Each task reports once a minute: so many samples as tasks, a minute. */
  samples: service('CPUUtilization', 'SampleCount'),
  memory: service('MemoryUtilization', 'Average'),
} as const satisfies Record<string, Metric>;

export type Asked = keyof typeof asked;
export const askedNames = Object.keys(asked).filter((name): name is Asked => name in asked);

/** The names by which a result is told apart: `s0_requests`. */
export const idOf = (index: number, name: Asked): string => `s${index}_${name}`;

export type Place = { cluster: string; listenerArn: string };

/** What is asked of CloudWatch for these sets, each by its place in the list. */
export const queriesOf = (
  sets: readonly MeasuredSet[],
  { cluster, listenerArn }: Place,
  periodSeconds: number,
): MetricDataQuery[] =>
  sets.flatMap((set, index) => {
    const dimensions: Record<Where, Record<string, string>> = {
      target: { LoadBalancer: balancerOf(listenerArn), TargetGroup: lastOf(set.targetGroupArn) },
      service: { ClusterName: cluster, ServiceName: serviceName(set.place, set.key) },
    };
    return askedNames.map((name) => {
      const { namespace, where, metric, stat } = asked[name];
      return {
        Id: idOf(index, name),
        MetricStat: {
          Metric: {
            Namespace: namespace,
            MetricName: metric,
            Dimensions: Object.entries(dimensions[where]).map(([Name, Value]) => ({ Name, Value })),
          },
          Period: periodSeconds,
          Stat: stat,
        },
      };
    });
  });

/** `targetgroup/name/id` of an ARN. */
const lastOf = (arn: string): string => arn.split(':').at(-1) ?? '';

/** `app/name/id` of `…:listener/app/name/id/listener`. */
const balancerOf = (listenerArn: string): string => lastOf(listenerArn).split('/').slice(1, 4).join('/');
