import {
  DescribeInternetGatewaysCommand,
  DescribeManagedPrefixListsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  EC2Client,
  type Subnet,
} from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createEc2Networks } from '../../../lib/adapters/aws/networks.ts';
import { findInNetwork } from '../../../lib/features/network/find.ts';

const ec2 = mockClient(EC2Client);
const waits: number[] = [];
const deps = {
  networks: createEc2Networks({ wait: async (milliseconds) => void waits.push(milliseconds) }),
};
const find = (asked: object) => findInNetwork(deps, asked);

beforeEach(() => {
  ec2.reset();
  waits.length = 0;
  vi.stubEnv('AWS_REGION', 'us-east-1');
});

const subnet = (id: string, zone: string, more: Subnet = {}): Subnet => ({
  SubnetId: `subnet-${id}`,
  VpcId: 'vpc-1',
  AvailabilityZone: `us-east-1${zone}`,
  AvailabilityZoneId: `use1-az${zone === 'a' ? 1 : 2}`,
  CidrBlock: `10.0.${id}.0/24`,
  ...more,
});

describe('where requests of CloudFront come from', () => {
  it('is the list of addresses that AWS keeps', async () => {
    ec2
      .on(DescribeManagedPrefixListsCommand, {
        Filters: [{ Name: 'prefix-list-name', Values: ['com.amazonaws.global.cloudfront.origin-facing'] }],
      })
      .resolves({ PrefixLists: [{ PrefixListId: 'pl-1' }] });
    expect(await find({ Find: 'front-addresses', ServiceToken: 'arn' })).toEqual({ PrefixListId: 'pl-1' });
  });

  it('is asked again for half a minute while the role of the function is new', async () => {
    const notYet = Object.assign(new Error('You are not authorized to perform this operation.'), {
      name: 'UnauthorizedOperation',
    });
    const list = ec2.on(DescribeManagedPrefixListsCommand);
    list
      .rejectsOnce(notYet)
      .rejectsOnce(notYet)
      .resolves({ PrefixLists: [{ PrefixListId: 'pl-1' }] });
    expect(await find({ Find: 'front-addresses' })).toEqual({ PrefixListId: 'pl-1' });
    expect(waits).toEqual([3000, 3000]);
    list.rejects(notYet);
    await expect(find({ Find: 'front-addresses' })).rejects.toThrow('not authorized');
    expect(waits).toHaveLength(2 + 9);
    list.rejects(new Error('Something else'));
    await expect(find({ Find: 'front-addresses' })).rejects.toThrow('Something else');
    expect(waits).toHaveLength(2 + 9);
  });

  it('is refused in words where the region has no such list', async () => {
    ec2.on(DescribeManagedPrefixListsCommand).resolves({ PrefixLists: [] });
    await expect(find({ Find: 'front-addresses' })).rejects.toThrow(/Deploy agents in another region/);
  });

  it('is the group that CloudFront has made in the network, or nobody’s', async () => {
    const Filters = [
      { Name: 'vpc-id', Values: ['vpc-1'] },
      { Name: 'group-name', Values: ['CloudFront-VPCOrigins-Service-SG'] },
    ];
    const asked = { Find: 'front-group', VpcId: 'vpc-1', OrElse: 'sg-own' };
    ec2.on(DescribeSecurityGroupsCommand).resolves({ SecurityGroups: [] });
    expect(await find(asked)).toEqual({ GroupId: 'sg-own' });
    ec2
      .on(DescribeSecurityGroupsCommand, { Filters })
      .resolves({ SecurityGroups: [{ GroupId: 'sg-front' }] });
    expect(await find(asked)).toEqual({ GroupId: 'sg-front' });
  });
});

describe('a network that was there before', () => {
  const asked = {
    Find: 'given-network',
    VpcId: 'vpc-1',
    AgentSubnets: ['subnet-1', 'subnet-2'],
    BalancerSubnets: ['subnet-3', 'subnet-4'],
  };
  /** Subnets of agents, those of the balancer, and whether the network has a gateway. */
  function account(agents: Subnet[], balancer: Subnet[], gateways = [{}]): void {
    ec2.on(DescribeSubnetsCommand, { SubnetIds: asked.AgentSubnets }).resolves({ Subnets: agents });
    ec2.on(DescribeSubnetsCommand, { SubnetIds: asked.BalancerSubnets }).resolves({ Subnets: balancer });
    ec2.on(DescribeInternetGatewaysCommand).resolves({ InternetGateways: gateways });
  }
  const agents = [subnet('1', 'a'), subnet('2', 'b')];
  const balancer = [subnet('3', 'a'), subnet('4', 'b')];

  it('is known by the addresses of the balancer’s subnets, whatever the order of the answer', async () => {
    account(agents, balancer.toReversed());
    expect(await find(asked)).toEqual({ BalancerCidr0: '10.0.3.0/24', BalancerCidr1: '10.0.4.0/24' });
  });

  it.each<[RegExp, Subnet[], Subnet[], object[]]>([
    [
      /agentSubnets: subnet-2 lies in vpc-2/,
      [subnet('1', 'a'), subnet('2', 'b', { VpcId: 'vpc-2' })],
      balancer,
      [{}],
    ],
    [/agentSubnets: both subnets lie in us-east-1a/, [subnet('1', 'a'), subnet('2', 'a')], balancer, [{}]],
    [/balancerSubnets: both subnets lie in us-east-1b/, agents, [subnet('3', 'b'), subnet('4', 'b')], [{}]],
    [
      /reaches no balancer in use1-az3, where subnet-4 lies/,
      agents,
      [subnet('3', 'a'), subnet('4', 'c', { AvailabilityZoneId: 'use1-az3' })],
      [{}],
    ],
    [/vpc-1 has no internet gateway/, agents, balancer, []],
  ])('is refused in words: %s', async (reason, ofAgents, ofBalancer, gateways) => {
    account(ofAgents, ofBalancer, gateways);
    await expect(find(asked)).rejects.toThrow(reason);
  });
});
