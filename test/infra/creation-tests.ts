import { expect, it } from 'vitest';
import type { Synthesised } from '../support/aws/synthesised.ts';

/** In which order a first deploy makes things, and how many of a kind. Part of the file of the template. */
export function creationTests(stacksOf: () => Synthesised): void {
  const dependsOn = (type: string) =>
    stacksOf()
      .all(type)
      .map(([id, { DependsOn = [] }]) => [id.replace('root/', ''), DependsOn] as const);

  it('changes the API by one area after the other, and deploys its stages when all are done', () => {
    const areas = dependsOn('AWS::CloudFormation::Stack');
    expect(areas.length).toBeGreaterThan(3);
    const chain = areas.map(([, before]) => before);
    expect(chain).toEqual(areas.map((_, index) => (index === 0 ? [] : [areas[index - 1]?.[0]])));
    for (const [stage, before] of dependsOn('AWS::ApiGatewayV2::Stage'))
      if (!stage.includes('Doorbell'))
        expect(before).toEqual(expect.arrayContaining(areas.map(([id]) => id)));
  });

  it('subscribes to two logs in all, once to each', () => {
    const filters = stacksOf().all('AWS::Logs::SubscriptionFilter');
    const logs = filters.map(([, { Properties }]) => JSON.stringify(Properties.LogGroupName));
    expect(logs).toHaveLength(2);
    expect(new Set(logs).size).toBe(2);
  });

  it('names no partition: an account in China or of a government has another', () => {
    const templates = [...stacksOf().stacks].map(([name, resources]) => [name, JSON.stringify(resources)]);
    expect(templates.filter(([, text]) => text?.includes('arn:aws:')).map(([name]) => name)).toEqual([]);
  });
}
