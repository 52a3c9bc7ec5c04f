import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { nameOf } from './platform.ts';
import type { Settings } from './settings.ts';

const FIVE_MINUTES = Duration.minutes(5);

/** An alarm says who is hurt, and where it is written what to do: without either it does not compile. */
export type AlarmRow = {
  /** Also the anchor of its runbook in docs/operations.md. */
  name: string;
  impact: string;
  metric: IMetric;
  threshold: number;
  periods?: number;
  /** The alarm is that something does not happen. */
  below?: true;
};

export type Watched = {
  apiId: string;
  tableName: string;
  queueName: string;
  stateMachineArn: string;
  /** Of the stream. */
  consumers: LambdaFunction[];
  sweep: LambdaFunction;
  revocations: LambdaFunction;
  deliver: LambdaFunction;
  ingest: LambdaFunction;
  tasks: LambdaFunction[];
  /** Undefined where the installation runs no agents itself. */
  driver: LambdaFunction | undefined;
};

const sum = (namespace: string, metricName: string, dimensionsMap: Record<string, string> = {}): Metric =>
  new Metric({ namespace, metricName, dimensionsMap, statistic: Stats.SUM, period: FIVE_MINUTES });

/**
 * Each of the metrics as a term; without data in a period, as services send none of what did not happen, it
 * is 0.
 */
const combined = (
  metrics: Metric[],
  label: string,
  expressionOf: (terms: string[]) => string,
): MathExpression => {
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  const expression = expressionOf(Object.keys(usingMetrics).map((name) => `FILL(${name}, 0)`));
  return new MathExpression({ expression, usingMetrics, label, period: FIVE_MINUTES });
};

const added = (metrics: Metric[], label: string): MathExpression =>
  combined(metrics, label, (terms) => terms.join(' + '));

const largest = (metrics: Metric[], label: string): MathExpression =>
  combined(metrics, label, (terms) => `MAX([${terms.join(', ')}])`);

const ageOf = (fn: LambdaFunction): Metric =>
  fn.metric('IteratorAge', { statistic: Stats.MAXIMUM, period: FIVE_MINUTES });

const errorsOf = (fn: LambdaFunction): Metric => fn.metricErrors({ period: FIVE_MINUTES });

/** Of requests and the engine behind them. */
const engineAlarms = (watched: Watched): AlarmRow[] => [
  {
    name: 'api-errors',
    impact: 'Clients and listeners get 5xx answers: deploys cannot be started or watched.',
    metric: sum('AWS/ApiGateway', '5xx', { ApiId: watched.apiId }),
    threshold: 5,
  },
  {
    name: 'api-slow',
    impact:
      'One request in a hundred takes over 5 s: clients that give up after some seconds repeat themselves.',
    // In percent of all. Who waits for a consent is answered after 25 s on purpose, and not counted.
    metric: new Metric({
      namespace: 'AWS/ApiGateway',
      metricName: 'Latency',
      dimensionsMap: { ApiId: watched.apiId },
      statistic: Stats.percentileRank(5_000, 20_000),
      period: FIVE_MINUTES,
    }),
    threshold: 1,
    periods: 3,
  },
  {
    name: 'dispatch-errors',
    impact:
      'Revisions start and go on only when the sweep finds them, up to a minute later a step; events and audit come late.',
    metric: added(watched.consumers.map(errorsOf), 'errors of consumers of the stream'),
    threshold: 5,
  },
  {
    name: 'dispatch-late',
    impact: 'Changes reach the engine, or who follows events, over a minute late: every deploy takes longer.',
    metric: largest(watched.consumers.map(ageOf), 'age of records'),
    threshold: 60_000,
  },
  {
    name: 'stream-set-aside',
    impact:
      'Records of the stream could not be handled in five attempts: the sweep sees to what they told the engine, but events and audit of them are missing.',
    metric: sum('AWS/SQS', 'NumberOfMessagesSent', { QueueName: watched.queueName }),
    threshold: 1,
  },
  {
    name: 'sweep-errors',
    impact: 'Nothing finds revisions that are stuck: what a lost event left behind stays there.',
    metric: errorsOf(watched.sweep),
    threshold: 3,
  },
  {
    name: 'sweep-silent',
    impact: 'The sweep has not run for a quarter of an hour: what a lost event left behind stays there.',
    metric: watched.sweep.metricInvocations({ period: FIVE_MINUTES }),
    threshold: 1,
    periods: 3,
    below: true,
  },
];

/** Of what is told to others. */
const outboundAlarms = (watched: Watched): AlarmRow[] => [
  {
    name: 'revocations-errors',
    impact:
      'Tokens that users have deleted go on being good at their OAuth providers, where those could not be told at once.',
    metric: errorsOf(watched.revocations),
    threshold: 3,
  },
  {
    name: 'webhooks-errors',
    impact: 'Events reach webhooks only when the sweep wakes their delivery again, and late.',
    metric: errorsOf(watched.deliver),
    threshold: 3,
  },
];

/** Of what revisions go through, and of what everything stands on. */
function foundationAlarms(watched: Watched): AlarmRow[] {
  const executions = { StateMachineArn: watched.stateMachineArn };
  const table = { TableName: watched.tableName };
  return [
    {
      name: 'executions-broken',
      impact:
        'Executions ended without their last step; their revisions fail at the next sweep, whatever their code.',
      metric: added(
        ['ExecutionsFailed', 'ExecutionsTimedOut', 'ExecutionsAborted'].map((name) =>
          sum('AWS/States', name, executions),
        ),
        'broken executions',
      ),
      threshold: 1,
    },
    {
      name: 'step-errors',
      impact: 'Steps of revisions fail: deploys end as failed for reasons that are not their code.',
      metric: added(watched.tasks.map(errorsOf), 'errors of steps'),
      threshold: 5,
    },
    {
      name: 'table-throttled',
      impact: 'The table refuses work: requests answer 503 and deploys wait.',
      metric: added(
        ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) => sum('AWS/DynamoDB', name, table)),
        'throttled',
      ),
      threshold: 10,
    },
    {
      name: 'functions-throttled',
      impact: 'The account has no free concurrency: requests answer 503, the stream waits.',
      metric: sum('AWS/Lambda', 'Throttles'),
      threshold: 10,
    },
    {
      name: 'build-logs-lost',
      impact: 'Lines of builds are not stored: who watches a build sees nothing, the build itself goes on.',
      metric: errorsOf(watched.ingest),
      threshold: 3,
    },
  ];
}

/** Of what brings agents on Fargate up and down. */
const agentAlarms = (driver: LambdaFunction): AlarmRow[] => [
  {
    name: 'compute-drive-errors',
    impact:
      'Deploys to Fargate stand still, and fail when their time is over; what serves goes on, and is not repaired.',
    metric: errorsOf(driver),
    threshold: 3,
  },
];

/** All alarms, on aggregates; two figures of one cause are one alarm. */
export const alarmRows = (watched: Watched): AlarmRow[] => [
  ...engineAlarms(watched),
  ...outboundAlarms(watched),
  ...foundationAlarms(watched),
  ...(watched.driver === undefined ? [] : agentAlarms(watched.driver)),
];

/** Makes the alarms; each tells the topic, with its impact and its runbook in the text. */
export function makeAlarms(scope: Construct, settings: Settings, topic: Topic, rows: AlarmRow[]): Alarm[] {
  return rows.map(({ name, impact, metric, threshold, periods = 1, below }) => {
    const alarm = new Alarm(scope, name, {
      alarmName: nameOf(settings, name),
      alarmDescription: `${impact} Runbook: docs/operations.md#${name}`,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator:
        below === true
          ? ComparisonOperator.LESS_THAN_THRESHOLD
          : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: below === true ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(topic));
    return alarm;
  });
}
