import { Stack } from 'aws-cdk-lib';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import { CfnSubscriptionFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { functionRows } from '../contract/functions.ts';
import { notedMessages } from '../contract/notes.ts';
import type { Platform } from './platform.ts';
import { SlipwayFunction } from './slipway-function.ts';

/**
 * Writes down what endpoints, most of which may only read, say in their logs: when keys were used, what was handed out, who was
 * refused.
 */
export class Notes extends Construct {
  /** What follows a log has to wait for it. */
  readonly permission: CfnPermission;
  readonly #functionArn: string;

  constructor(scope: Construct, id: string, platform: Platform) {
    super(scope, id);
    const row = functionRows.takeNotes;
    const made = new SlipwayFunction(this, row.name, { platform, ...row });
    this.#functionArn = made.function.functionArn;
    const { partition, region, account } = Stack.of(this);
    const logGroups = `log-group:/slipway/${platform.settings.environment}/*`;
    this.permission = new CfnPermission(this, 'Permission', {
      action: 'lambda:InvokeFunction',
      functionName: this.#functionArn,
      principal: 'logs.amazonaws.com',
      sourceArn: `arn:${partition}:logs:${region}:${account}:${logGroups}`,
    });
  }

  /** From now on it hears what this endpoint says. One filter for all of it: a log has two at most, and one is the installation's own to use. */
  follow(endpoint: SlipwayFunction): void {
    // Under the name of its first purpose: another name would be a third filter while an update is under way.
    new CfnSubscriptionFilter(endpoint, 'KeyUses', {
      logGroupName: endpoint.logGroup.logGroupName,
      filterPattern: `{ ${notedMessages.map((text) => `($.message = "${text}")`).join(' || ')} }`,
      destinationArn: this.#functionArn,
    });
  }
}
