import { Stack } from 'aws-cdk-lib';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import { CfnSubscriptionFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { functionRows } from '../contract/functions.ts';
import { KEY_USED } from '../contract/key-use.ts';
import type { Platform } from './platform.ts';
import { SlipwayFunction } from './slipway-function.ts';

/** Writes down when keys were used: endpoints, most of which may only read, say it in their logs. */
export class KeyUses extends Construct {
  /** What follows a log has to wait for it. */
  readonly permission: CfnPermission;
  readonly #functionArn: string;

  constructor(scope: Construct, id: string, platform: Platform) {
    super(scope, id);
    const row = functionRows.noteKeyUse;
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

  /** From now on it hears what this endpoint says of keys. */
  follow(endpoint: SlipwayFunction): void {
    new CfnSubscriptionFilter(endpoint, 'KeyUses', {
      logGroupName: endpoint.logGroup.logGroupName,
      filterPattern: `{ $.message = "${KEY_USED}" }`,
      destinationArn: this.#functionArn,
    });
  }
}
