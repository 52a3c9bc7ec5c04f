import { Stack } from 'aws-cdk-lib';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import { CfnSubscriptionFilter, type LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FunctionRow } from '../contract/functions.ts';
import type { Platform } from './platform.ts';
import { SlipwayFunction } from './slipway-function.ts';

type LogIngestionProps = { platform: Platform; row: FunctionRow; logGroup: LogGroup };

/** Takes the lines of a log group as they are written: the function masks and stores them by revision. */
export class LogIngestion extends Construct {
  readonly ingest: SlipwayFunction;

  constructor(scope: Construct, id: string, { platform, row, logGroup }: LogIngestionProps) {
    super(scope, id);
    this.ingest = new SlipwayFunction(this, row.name, { platform, ...row });
    const { functionArn } = this.ingest.function;
    const { partition, region, account } = Stack.of(this);
    const permission = new CfnPermission(this, 'Permission', {
      action: 'lambda:InvokeFunction',
      functionName: functionArn,
      principal: 'logs.amazonaws.com',
      sourceArn: `arn:${partition}:logs:${region}:${account}:log-group:${logGroup.logGroupName}:*`,
    });
    const filter = new CfnSubscriptionFilter(this, 'Subscription', {
      logGroupName: logGroup.logGroupName,
      filterPattern: '',
      destinationArn: functionArn,
    });
    filter.addResourceDependency(permission);
  }
}
