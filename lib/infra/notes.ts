import { Stack } from 'aws-cdk-lib';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import { CfnSubscriptionFilter, type LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { functionRows } from '../contract/functions.ts';
import { notedMessages } from '../contract/notes.ts';
import type { Platform } from './platform.ts';
import { SlipwayFunction } from './slipway-function.ts';

/**
 * Writes down what endpoints, most of which may only read, say in the log they share: when keys were used,
 * what was handed out, who was refused.
 */
export class Notes extends Construct {
  constructor(scope: Construct, id: string, platform: Platform, apiLog: LogGroup) {
    super(scope, id);
    const row = functionRows.takeNotes;
    const { functionArn } = new SlipwayFunction(this, row.name, { platform, ...row }).function;
    const { partition, region, account } = Stack.of(this);
    const permission = new CfnPermission(this, 'Permission', {
      action: 'lambda:InvokeFunction',
      functionName: functionArn,
      principal: 'logs.amazonaws.com',
      sourceArn: `arn:${partition}:logs:${region}:${account}:log-group:${apiLog.logGroupName}:*`,
    });
    // One filter for all notes: a log group takes two, and the other one is left to the installation.
    const filter = new CfnSubscriptionFilter(this, 'Filter', {
      logGroupName: apiLog.logGroupName,
      filterPattern: `{ ${notedMessages.map((text) => `($.message = "${text}")`).join(' || ')} }`,
      destinationArn: functionArn,
    });
    // CloudWatch refuses a filter whose destination it may not call yet.
    filter.addResourceDependency(permission);
  }
}
