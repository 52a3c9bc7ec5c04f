import { expect, it } from 'vitest';
import { routes } from '../../lib/contract/routes/index.ts';
import { answersHead } from '../../lib/contract/routes/route.ts';

/** The routes of the gateway are those of the table. */
export function routeTests(propertiesOf: (type: string) => Record<string, unknown>[]): void {
  it('have every route of the table once, and two stages that serve them all', () => {
    const keys = propertiesOf('AWS::ApiGatewayV2::Route').map(({ RouteKey }) => RouteKey);
    const expected = [
      ...routes.map(({ method, path }) => `${method} ${path}`),
      ...routes.filter(answersHead).map(({ path }) => `HEAD ${path}`),
      '$default',
    ];
    expect(new Set(keys)).toEqual(new Set(expected));
    expect(keys).toHaveLength(expected.length);
    const stages = propertiesOf('AWS::ApiGatewayV2::Stage').map(({ StageName }) => StageName);
    expect(stages).toEqual(['$default', 'api-host']);
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
