import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { fargateFree, fargateMonth, fargateWithLines } from '../bench/fargate-cost.ts';
import { type Synthesised, synthesised } from '../support/aws/synthesised.ts';

const page = new URL('../../docs/fargate.md', import.meta.url);

/** Metrics that an alarm looks at: each is paid. */
const metricsOf = (stacks: Synthesised): number =>
  stacks.all('AWS::CloudWatch::Alarm').reduce((sum, [, { Properties }]) => {
    const { Metrics } = Properties as { Metrics?: { MetricStat?: object }[] }; // CloudFormation's own shape of it
    return sum + (Metrics?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1);
  }, 0);

/** That the page on Fargate knows whatever costs something. Part of the file of the template, as the others. */
export function fargateCostTests(stacksOf: () => Synthesised): void {
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
