import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { fargateFree, fargateMonth, fargateWithLines } from '../bench/fargate-cost.ts';
import { pricedComputeType } from '../bench/prices.ts';
import { free, withLines } from '../bench/resource-costs.ts';
import { schedules } from '../bench/schedules.ts';
import { configured, type Synthesised, synthesised } from '../support/aws/synthesised.ts';

const page = new URL('../../docs/fargate.md', import.meta.url);

/** Metrics that an alarm looks at: each is paid. */
const metricsOf = (stacks: Synthesised): number =>
  stacks.all('AWS::CloudWatch::Alarm').reduce((sum, [, { Properties }]) => {
    const { Metrics } = Properties as { Metrics?: { MetricStat?: object }[] }; // CloudFormation's own shape of it
    return sum + (Metrics?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1);
  }, 0);

/** That the page on Fargate knows whatever costs something. Part of the file of the template, as the others. */
function fargateCostTests(stacksOf: () => Synthesised): void {
  const withAgents = (more: object = {}) => synthesised({ environment: 'test', compute: 'fargate', ...more });

  it('of agents on Fargate has each kind of resource in its table, or says why it is free', () => {
    const made = [withAgents(), withAgents({ agentNetwork: 'nat' })].flatMap(({ stacks }) =>
      Object.values(stacks.get('Agents') ?? {}).map(({ Type }) => Type),
    );
    const unpriced = new Set(
      made.filter(
        (type) => !fargateWithLines.includes(type) && !fargateFree.some(({ types }) => types.test(type)),
      ),
    );
    expect([...unpriced]).toEqual([]);
    expect(fargateFree.filter(({ types }) => !made.some((type) => types.test(type)))).toEqual([]);
  });

  it('of agents on Fargate is what the page shows', async () => {
    const rows = fargateMonth(metricsOf(withAgents()) - metricsOf(stacksOf())).map(({ what, dollars }) => {
      const shown = dollars.toFixed(2);
      return `| ${what} | ${what.startsWith('**') ? `**${shown}**` : shown} |`;
    });
    const text = await readFile(page, 'utf8');
    const [, table = ''] = /\| What \| \$ a month \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(text) ?? [];
    expect(table.trimEnd().split('\n')).toEqual(rows);
  });
}

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
