import { prices } from './prices.ts';

const MONTH_HOURS = 730;
/** A server that asks for no size. */
const SERVER = { cpu: 0.5, memoryGb: 1 };

/** Resources of the stack of agents with lines in the table, by their CloudFormation type. */
export const fargateWithLines = [
  'AWS::CloudWatch::Alarm',
  'AWS::ElasticLoadBalancingV2::LoadBalancer',
  'AWS::EC2::EIP',
  'AWS::EC2::NatGateway',
];

/** The others, and why they cost nothing while nobody asks an agent. A test compares both with the stack. */
export const fargateFree: readonly { why: string; types: RegExp }[] = [
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
export function fargateMonth(alarms: number): Row[] {
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
