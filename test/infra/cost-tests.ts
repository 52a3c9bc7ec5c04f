import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { pricedComputeType, prices } from '../bench/prices.ts';
import { free, withLines } from '../bench/resource-costs.ts';
import { schedules } from '../bench/schedules.ts';
import { configured, type Synthesised, synthesised } from '../support/aws/synthesised.ts';

const MONTH_HOURS = 730;
/** A server that asks for no size. */
const SERVER = { cpu: 0.5, memoryGb: 1 };

/** Resources of the stack of agents with lines in the table, by their CloudFormation type. */
const fargateWithLines = [
  'AWS::CloudWatch::Alarm',
  'AWS::ElasticLoadBalancingV2::LoadBalancer',
  'AWS::EC2::EIP',
  'AWS::EC2::NatGateway',
];

/** The others, and why they cost nothing while nobody asks an agent. A test compares both with the stack. */
const fargateFree: readonly { why: string; types: RegExp }[] = [
  {
    why: 'networks, their parts and security groups are free; the NAT gateway and addresses have lines',
    types: /^AWS::EC2::(VPC|Subnet|Route|InternetGateway|SecurityGroup)/,
  },
  { why: 'a cluster of Fargate is paid by its servers', types: /^AWS::ECS::Cluster$/ },
  { why: 'listeners are part of their balancer', types: /^AWS::ElasticLoadBalancingV2::Listener$/ },
  {
    why: 'CloudFront is paid by requests and bytes, its functions by calls; origins and policies are free',
    types: /^AWS::CloudFront::/,
  },
  {
    why: 'functions are paid by the call; that of a network is called by deploys alone',
    types: /^(AWS::Lambda::|Custom::SlipwayNetwork$)/,
  },
  {
    why: 'roles, rules for events of AWS and subscriptions to a function are free',
    types: /^AWS::(IAM::Role|Events::Rule|Logs::SubscriptionFilter)$/,
  },
  {
    why: 'logs are paid by what servers print, which the page says below its table',
    types: /^AWS::Logs::LogGroup$/,
  },
];

type Row = { what: string; dollars: number };

/** What agents on Fargate cost in a month, as docs/fargate.md shows it. `alarms`: those that they add. */
function fargateMonth(alarms: number): Row[] {
  const hours = (hourly: number) => hourly * MONTH_HOURS;
  const balancer = hours(prices.balancerHour);
  const server = hours(SERVER.cpu * prices.serverCpuHour + SERVER.memoryGb * prices.serverGbHour);
  const arm = hours(SERVER.cpu * prices.armCpuHour + SERVER.memoryGb * prices.armGbHour);
  const address = hours(prices.addressHour);
  const alarm = alarms * prices.alarmMetricMonth;
  const agent = cents(server) + cents(address) + prices.secretMonth;
  return [
    { what: 'the balancer', dollars: balancer },
    { what: `a server of 0.5 CPU and 1 GB, x86 (arm64: ${arm.toFixed(2)})`, dollars: server },
    { what: 'its public IPv4 address', dollars: address },
    { what: 'the secret of a revision', dollars: prices.secretMonth },
    { what: 'the alarm on the driver', dollars: alarm },
    { what: '**the first agent**', dollars: cents(balancer) + alarm + agent },
    { what: '**each further agent**', dollars: agent },
    {
      what: 'a NAT gateway (`agentNetwork=nat`), instead of public addresses',
      dollars: hours(prices.natHour) + address,
    },
  ];
}

/** Sums on the page are those of its rows. */
const cents = (dollars: number): number => Math.round(dollars * 100) / 100;

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
