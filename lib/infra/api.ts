import { Duration, NestedStack, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  CfnIntegration,
  CfnRoute,
  CfnStage,
  type CorsHttpMethod,
  type CorsPreflightOptions,
  HttpApi,
} from 'aws-cdk-lib/aws-apigatewayv2';
import type { Role } from 'aws-cdk-lib/aws-iam';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import {
  CORS_MAX_AGE_SECONDS,
  corsMethods,
  corsRequestHeaders,
  corsResponseHeaders,
} from '../contract/browser/cors.ts';
import { routes } from '../contract/routes/index.ts';
import { accessOf, type RouteRow, routeKeysOf } from '../contract/routes/route.ts';
import { fallbackHandler } from './handlers.ts';
import { kebab, nameOf, type Platform } from './platform.ts';
import type { Settings } from './settings.ts';
import { functionLog, SlipwayFunction, type SlipwayFunctionProps } from './slipway-function.ts';
import { routeThrottles } from './throttles.ts';

/** API Gateway gives up after 30 s; a function that ends before it says why. */
const TIMEOUT_SECONDS = 29;
/** The stage under which every route answers a second time, without a second route. */
export const ALIAS_STAGE = 'api-host';

/** The HTTP API with its stages, and a nested stack of endpoints for each area of the route table. */
export class Api extends Construct {
  readonly httpApi: HttpApi;
  readonly stages: CfnStage[];
  readonly areas: AreaStack[];
  /** All its functions write here, each to streams of its own. */
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, platform: Platform) {
    super(scope, id);
    this.logGroup = functionLog(this, 'Log', platform, 'api');
    this.httpApi = new HttpApi(this, 'HttpApi', {
      apiName: nameOf(platform.settings, 'api'),
      description: 'Slipway: the control plane',
      createDefaultStage: false,
      ...(platform.settings.corsOrigins.length > 0 && { corsPreflight: corsOf(platform.settings) }),
    });
    this.stages = this.#stages(platform);
    const byArea = [...Map.groupBy(routes, ({ area }) => area)];
    const shared = { api: this.httpApi, platform, logGroup: this.logGroup };
    this.areas = byArea.map(([area, rows]) => new AreaStack(this, area, shared, rows));
    this.#chain();
  }

  /**
   * API Gateway refuses changes of one API that come at the same time: one area follows another. The stages,
   * which deploy and name limits of routes, come last.
   */
  #chain(): void {
    for (const [index, area] of this.areas.entries()) {
      const before = this.areas[index - 1];
      if (before !== undefined) area.node.addDependency(before);
      for (const stage of this.stages) stage.node.addDependency(area);
    }
  }

  /** The role of the function behind an operation of the route table. */
  roleOf(operation: string): Role {
    const role = this.areas.map(({ roles }) => roles.get(operation)).find((found) => found !== undefined);
    if (role === undefined) throw new Error(`no function answers ${operation}`);
    return role;
  }

  #stages({ settings }: Platform): CfnStage[] {
    const accessLog = new LogGroup(this, 'AccessLog', {
      logGroupName: `/slipway/${settings.environment}/access`,
      retention: settings.logRetentionDays as RetentionDays, // as for the functions' own logs
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const stage = (name: string, stageName: string) =>
      new CfnStage(this, name, {
        apiId: this.httpApi.apiId,
        stageName,
        autoDeploy: true,
        defaultRouteSettings: {
          throttlingRateLimit: settings.rateLimit,
          throttlingBurstLimit: settings.burstLimit,
        },
        routeSettings: routeThrottles(routes, settings),
        accessLogSettings: { destinationArn: accessLog.logGroupArn, format: ACCESS_LOG_FORMAT },
      });
    return [stage('DefaultStage', '$default'), stage('AliasStage', ALIAS_STAGE)];
  }
}

/** API Gateway answers preflights itself, and tells allowed origins so on every answer. */
const corsOf = ({ corsOrigins }: Settings): CorsPreflightOptions => ({
  allowOrigins: corsOrigins,
  allowMethods: corsMethods(routes) as CorsHttpMethod[], // an enumeration of these very words
  allowHeaders: [...corsRequestHeaders],
  exposeHeaders: [...corsResponseHeaders],
  maxAge: Duration.seconds(CORS_MAX_AGE_SECONDS),
});

/** Ids and times only: no address of a caller, no path with ids of tenants' things beyond its route. */
const ACCESS_LOG_FORMAT = JSON.stringify({
  requestId: '$context.requestId',
  at: '$context.requestTimeEpoch',
  route: '$context.routeKey',
  status: '$context.status',
  latencyMs: '$context.responseLatency',
  error: '$context.integrationErrorMessage',
});

type EndpointProps = Omit<SlipwayFunctionProps, 'platform' | 'logGroup' | 'timeoutSeconds'>;
type Shared = { api: HttpApi; platform: Platform; logGroup: LogGroup };

/** What a function reads to know who asks with a bearer token. */
const identityVariables = ['OIDC_ISSUER', 'OIDC_AUDIENCE'] as const;

/**
 * The endpoints of one area. The area is written in the rows: an endpoint that changed its stack would be
 * made before it is deleted, and refused.
 */
class AreaStack extends NestedStack {
  /** Of its functions, by operation. */
  readonly roles = new Map<string, Role>();

  constructor(scope: Construct, area: string, shared: Shared, rows: RouteRow[]) {
    super(scope, area, { description: `Slipway: endpoints of the area ${area}` });
    for (const [handler, sharing] of Map.groupBy(rows, (row) => row.handler)) {
      const [row] = sharing;
      if (row === undefined) continue;
      const { summary } = row;
      const isGuarded = row.permission !== 'public';
      const own = row.variables ?? [];
      const variables = [...own, 'SLIPWAY_BASE_URL' as const, ...(isGuarded ? identityVariables : [])];
      const made = this.#endpoint(
        shared,
        { name: kebab(row.operation), handler, summary, access: accessOf(row), variables },
        sharing.flatMap(routeKeysOf),
      );
      for (const { operation } of sharing) this.roles.set(operation, made.role);
    }
    if (area !== 'core') return;
    const summary = 'Whatever no route takes: 404, 405';
    this.#endpoint(shared, { name: 'fallback', handler: fallbackHandler, summary, access: [] }, ['$default']);
  }

  #endpoint({ api, ...shared }: Shared, props: EndpointProps, routeKeys: string[]): SlipwayFunction {
    const made = new SlipwayFunction(this, props.name, {
      ...shared,
      ...props,
      timeoutSeconds: TIMEOUT_SECONDS,
    });
    const { functionArn } = made.function;
    const integration = new CfnIntegration(made, 'Integration', {
      apiId: api.apiId,
      integrationType: 'AWS_PROXY',
      integrationUri: functionArn,
      payloadFormatVersion: '2.0',
    });
    for (const routeKey of routeKeys) {
      new CfnRoute(made, routeKey, { apiId: api.apiId, routeKey, target: `integrations/${integration.ref}` });
    }
    const { partition, region, account } = Stack.of(this);
    new CfnPermission(made, 'Permission', {
      action: 'lambda:InvokeFunction',
      functionName: functionArn,
      principal: 'apigateway.amazonaws.com',
      sourceArn: `arn:${partition}:execute-api:${region}:${account}:${api.apiId}/*`,
    });
    return made;
  }
}
