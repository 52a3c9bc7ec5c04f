import { Stack, Validations } from 'aws-cdk-lib';
import { CfnApi, CfnIntegration, CfnRoute, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { functionRows } from '../contract/functions.ts';
import { NAG_PREFIX } from './nag-suppressions.ts';
import { nameOf, type Platform } from './platform.ts';
import type { Settings } from './settings.ts';
import { SlipwayFunction } from './slipway-function.ts';

const STAGE = 'live';

/** The WebSocket API at which listeners are rung; what is behind it is added by `serve`. */
export class Doorbell extends Construct {
  readonly #api: CfnApi;
  /** Where sockets are opened and managed. */
  readonly url: string;
  /** All its connections, for who sends over them. */
  readonly connections: string;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.#api = new CfnApi(this, 'Api', {
      name: nameOf(settings, 'doorbell'),
      description: 'Slipway: tells listeners that there is work',
      protocolType: 'WEBSOCKET',
      routeSelectionExpression: '$request.body.type',
    });
    const { partition, region, account, urlSuffix } = Stack.of(this);
    this.url = `wss://${this.#api.ref}.execute-api.${region}.${urlSuffix}/${STAGE}`;
    this.connections = `arn:${partition}:execute-api:${region}:${account}:${this.#api.ref}/${STAGE}/*/@connections/*`;
  }

  /**
   * Adds the function that opens and forgets sockets, and what answers messages: nothing. `apiLog`: of
   * endpoints, where it is read who was refused.
   */
  serve(platform: Platform, apiLog: LogGroup): void {
    const made = new SlipwayFunction(this, 'Socket', { platform, logGroup: apiLog, ...functionRows.socket });
    const { functionArn } = made.function;
    const { partition, region, account } = Stack.of(this);
    const calling = new CfnIntegration(this, 'Calling', {
      apiId: this.#api.ref,
      integrationType: 'AWS_PROXY',
      integrationUri: `arn:${partition}:apigateway:${region}:lambda:path/2015-03-31/functions/${functionArn}/invocations`,
    });
    // A message keeps a socket from being closed as idle, and costs no function.
    const nothing = new CfnIntegration(this, 'Nothing', {
      apiId: this.#api.ref,
      integrationType: 'MOCK',
      requestTemplates: { $default: '{"statusCode":200}' },
      templateSelectionExpression: '\\$default',
    });
    const routes = [
      this.#route('Connect', '$connect', calling),
      this.#route('Disconnect', '$disconnect', calling),
      this.#route('Message', '$default', nothing),
    ];
    const stage = this.#stage(platform);
    for (const route of routes) stage.node.addDependency(route);
    new CfnPermission(this, 'Permission', {
      action: 'lambda:InvokeFunction',
      functionName: functionArn,
      principal: 'apigateway.amazonaws.com',
      sourceArn: `arn:${partition}:execute-api:${region}:${account}:${this.#api.ref}/*`,
    });
  }

  #route(id: string, routeKey: string, { ref }: CfnIntegration): CfnRoute {
    // The function checks the key of `$connect`, as those of all routes do.
    return new CfnRoute(this, id, { apiId: this.#api.ref, routeKey, target: `integrations/${ref}` });
  }

  #stage({ settings }: Platform): CfnStage {
    const stage = new CfnStage(this, 'Stage', {
      apiId: this.#api.ref,
      stageName: STAGE,
      autoDeploy: true,
      defaultRouteSettings: {
        throttlingRateLimit: settings.rateLimit,
        throttlingBurstLimit: settings.burstLimit,
      },
    });
    Validations.of(stage).acknowledge({
      id: `${NAG_PREFIX}APIG1`,
      reason:
        'A WebSocket API writes an access log only where API Gateway has a role for the whole account, and is not deployed where it has none; what opens sockets writes down whom it refuses.',
    });
    return stage;
  }
}
