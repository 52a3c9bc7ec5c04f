import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { allAlarms } from '../support/aws/alarms.ts';

/** How many metrics the alarms look at: an alarm on an expression is charged for each metric in it. */
export const alarmMetrics = (): number =>
  allAlarms()
    .map(({ metric }) => (metric instanceof MathExpression ? Object.keys(metric.usingMetrics).length : 1))
    .reduce((sum, count) => sum + count, 0);
