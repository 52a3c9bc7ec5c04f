import { expect, it } from 'vitest';
import { routes } from '../../lib/contract/routes/index.ts';
import { answersHead, routeKeysOf } from '../../lib/contract/routes/route.ts';
import { routeThrottles } from '../../lib/infra/throttles.ts';
import { configured, type Synthesised, synthesised } from '../support/aws/synthesised.ts';

/** The routes of the gateway are those of the table. */
export function routeTests(propertiesOf: (type: string) => Record<string, unknown>[]): void {
  it('have every route of the table once, and two stages that serve them all', () => {
    const keys = propertiesOf('AWS::ApiGatewayV2::Route').map(({ RouteKey }) => RouteKey);
    const expected = [
      ...routes.map(({ method, path }) => `${method} ${path}`),
      ...routes.filter(answersHead).map(({ path }) => `HEAD ${path}`),
      '$default',
      // Of the doorbell.
      ...['$connect', '$disconnect', '$default'],
    ];
    expect(new Set(keys)).toEqual(new Set(expected));
    expect(keys).toHaveLength(expected.length);
    const stages = propertiesOf('AWS::ApiGatewayV2::Stage').map(({ StageName }) => StageName);
    expect(new Set(stages)).toEqual(new Set(['$default', 'api-host', 'live']));
  });

  it('have HEAD lead where GET leads, and to no other function', () => {
    const targets = new Map(
      propertiesOf('AWS::ApiGatewayV2::Route').map(({ RouteKey, Target }) => [
        RouteKey,
        JSON.stringify(Target),
      ]),
    );
    for (const { path } of routes.filter(answersHead))
      expect([path, targets.get(`HEAD ${path}`)]).toEqual([path, targets.get(`GET ${path}`)]);
  });
}

/** Those of the HTTP API. */
const stagesOf = (stacks: Synthesised) =>
  stacks.all('AWS::ApiGatewayV2::Stage').filter(([id]) => !id.includes('Doorbell'));

type Throttle = { ThrottlingRateLimit: number; ThrottlingBurstLimit: number };

/** What keeps one noisy caller from all others. `plain`: the stacks without settings. */
export function limitTests(plain: () => Synthesised): void {
  const limitsOf = (stacks: Synthesised) =>
    stagesOf(stacks).map(([, { Properties }]) => ({
      settings: Properties.RouteSettings as Record<string, Throttle>, // as they are given to CloudFormation
      all: Properties.DefaultRouteSettings as Throttle,
    }));
  const keys = (isOne: (row: (typeof routes)[number]) => boolean) =>
    routes.filter(isOne).flatMap(routeKeysOf);

  it('routes without a key, and those that hold a connection, have throttles of their own in both stages', () => {
    const keyless = [...keys(({ permission }) => permission === 'public'), '$default'];
    const held = keys(({ eventStream, leadsOn }) => eventStream !== undefined || leadsOn === true);
    expect(keyless).toEqual(expect.arrayContaining(['GET /ok', 'GET /v2/auth/begin/{nonce}']));
    expect(held).toEqual(
      expect.arrayContaining([
        'GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs',
        'GET /v2/auth/wait/{auth_id}',
      ]),
    );
    const stages = limitsOf(plain());
    expect(stages).toHaveLength(2);
    for (const { settings, all } of stages) {
      expect(Object.keys(settings).sort()).toEqual([...keyless, ...held].sort());
      expect(all).toEqual({ ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 });
      for (const key of keyless)
        expect([key, settings[key]]).toEqual([key, { ThrottlingRateLimit: 20, ThrottlingBurstLimit: 40 }]);
    }
  });

  it('all that may hold a connection at once leaves a quarter of an account’s functions to others', () => {
    const seconds: Record<string, number> = {
      'GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs': 10,
      'GET /v2/auth/wait/{auth_id}': 25,
    };
    // However much the whole API may take.
    const settings = routeThrottles(routes, { rateLimit: 5000, burstLimit: 10_000 });
    const functions = Object.entries(seconds).map(
      ([key, held]) => (settings[key]?.ThrottlingRateLimit ?? Number.NaN) * held,
    );
    expect(functions.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(750);
  });

  it('a stage names limits of routes only once these are there', () => {
    const areas = [...plain().stacks.keys()].filter((name) => name !== 'root' && name !== 'data');
    for (const [, stage] of stagesOf(plain())) {
      const after = JSON.stringify((stage as { DependsOn?: string[] }).DependsOn ?? []).toLowerCase();
      expect(areas.filter((area) => !after.includes(area.toLowerCase()))).toEqual([]);
    }
  });

  it('the engine has functions reserved where the settings say so, and nothing else has', () => {
    const reserved = (stacks: Synthesised) =>
      Object.fromEntries(
        stacks
          .all('AWS::Lambda::Function')
          .filter(([, { Properties }]) => Properties.ReservedConcurrentExecutions !== undefined)
          .map(([, { Properties }]) => [
            String(Properties.FunctionName).replace(/^slipway-test-/, ''),
            Properties.ReservedConcurrentExecutions,
          ]),
      );
    expect(reserved(plain())).toEqual({});
    const steps = { prepare: 7, build: 7, deploy: 7, finish: 7 };
    expect(reserved(synthesised(configured))).toEqual({ dispatch: 7, sweep: 2, ...steps });
  });
}

/** What listeners are rung with. */
export function doorbellTests(plain: () => Synthesised): void {
  const only = (type: string) => {
    const found = plain()
      .all(type)
      .filter(([id]) => id.includes('Doorbell'));
    return found.map(([, { Properties }]) => Properties);
  };

  it('the doorbell calls one function for sockets that open or close, and none for messages', () => {
    expect(only('AWS::ApiGatewayV2::Api')).toEqual([expect.objectContaining({ ProtocolType: 'WEBSOCKET' })]);
    const integrations = only('AWS::ApiGatewayV2::Integration').map(({ IntegrationType }) => IntegrationType);
    expect(integrations).toEqual(['AWS_PROXY', 'MOCK']);
    expect(only('AWS::ApiGatewayV2::Stage')).toEqual([
      expect.objectContaining({
        StageName: 'live',
        DefaultRouteSettings: { ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 },
      }),
    ]);
    // With one a deploy fails in an account where API Gateway has no role to write logs with.
    expect(only('AWS::ApiGatewayV2::Stage')[0]).not.toHaveProperty('AccessLogSettings');
  });

  it('what is refused there stands in the log that is read for the audit', () => {
    const logs = plain()
      .all('AWS::Lambda::Function')
      .filter(([id]) => /DoorbellSocket|AppGetMe|getMe/i.test(id))
      .map(([, { Properties }]) => JSON.stringify(Properties.LoggingConfig));
    expect(logs.length).toBeGreaterThan(0);
    for (const log of logs) expect(log).toMatch(/ApiLog/);
  });

  it('only what rings and what opens sockets may manage them, and only those of the doorbell', () => {
    const roles = plain()
      .all('AWS::IAM::Role')
      .map(([id, { Properties }]) => [id, JSON.stringify(Properties)] as const)
      .filter(([, text]) => text.includes('execute-api:ManageConnections'));
    expect(roles.map(([id]) => id.replace(/Role.*$/, ''))).toEqual([
      'root/DoorbellSocket',
      'root/Triggersring',
    ]);
    expect(roles[0]?.[1]).toMatch(/DoorbellApi\w+"\},"\/live\/\*\/@connections\/\*"/);
  });
}
