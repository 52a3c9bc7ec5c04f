import { expect, it } from 'vitest';
import { pricedComputeType } from '../bench/prices.ts';
import { free, withLines } from '../bench/resource-costs.ts';
import { schedules } from '../bench/schedules.ts';
import { configured, type Synthesised, synthesised } from '../support/aws/synthesised.ts';
import { fargateCostTests } from './fargate-cost-tests.ts';

/**
 * That the cost model (test/bench/cost.ts) knows whatever costs something. Part of the file of the template:
 * to load the CDK takes seconds.
 */
export function costTests(stacksOf: () => Synthesised): void {
  const functionName = (logicalId: string): string => {
    const functions = new Map(stacksOf().all('AWS::Lambda::Function'));
    const name = functions.get(`root/${logicalId}`)?.Properties.FunctionName;
    return String(name).replace(/^slipway-test-/, '');
  };

  const scheduled = (): [name: string, everySeconds: number][] =>
    stacksOf()
      .all('AWS::Events::Rule')
      .filter(([, { Properties }]) => Properties.ScheduleExpression !== undefined)
      .flatMap(([, { Properties }]) => {
        const [, minutes] = /^rate\((\d+) minutes?\)$/.exec(String(Properties.ScheduleExpression)) ?? [];
        const targets = Properties.Targets as { Arn: { 'Fn::GetAtt': [string, 'Arn'] } }[]; // as the CDK writes them
        return targets.map(({ Arn }): [string, number] => [
          functionName(Arn['Fn::GetAtt'][0]),
          Number(minutes) * 60,
        ]);
      });

  it('names every schedule, and how often it runs', () => {
    const named = Object.entries(schedules).map(([name, { everySeconds }]) => [name, everySeconds]);
    expect(scheduled()).toEqual(expect.arrayContaining(named));
    expect(scheduled()).toHaveLength(named.length);
  });

  it('has lines for every kind of resource or says why it is free, and of no other', () => {
    const typesIn = ({ stacks }: Synthesised): string[] =>
      [...stacks.values()].flatMap((resources) => Object.values(resources).map(({ Type }) => Type));
    const named = [...withLines, ...free.flatMap(({ types }) => types)];
    expect(new Set(named).size).toBe(named.length);
    const made = new Set([stacksOf(), synthesised(configured)].flatMap(typesIn));
    expect(named.toSorted()).toEqual([...made].toSorted());
  });

  it('has the price of the machines that build', () => {
    const projects = stacksOf().all('AWS::CodeBuild::Project');
    expect(projects.map(([, { Properties }]) => Properties.Environment)).toEqual([
      expect.objectContaining({ ComputeType: pricedComputeType }),
    ]);
  });

  fargateCostTests(stacksOf);
}
