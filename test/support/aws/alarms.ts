import { Stack } from 'aws-cdk-lib';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { type AlarmRow, alarmRows } from '../../../lib/infra/alarms.ts';

/** How many steps a revision has: as many functions the alarm on steps looks at. */
const STEPS = 4;

/** All alarms, on functions and ids that stand for the real ones. `compute`: of an installation that runs agents itself. */
export function allAlarms(compute?: 'fargate'): AlarmRow[] {
  const stack = new Stack();
  const some = LambdaFunction.fromFunctionName(stack, 'Some', 'some') as LambdaFunction; // its metrics are all that is asked for
  return alarmRows({
    apiId: 'api',
    tableName: 'table',
    queueName: 'queue',
    stateMachineArn: 'arn:aws:states:eu-west-1:123456789012:stateMachine:revision',
    consumers: [some, some],
    sweep: some,
    revocations: some,
    deliver: some,
    ingest: some,
    tasks: Array.from({ length: STEPS }, () => some),
    driver: compute === undefined ? undefined : some,
  });
}
