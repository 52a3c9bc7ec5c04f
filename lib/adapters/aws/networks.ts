import {
  DescribeInternetGatewaysCommand,
  DescribeManagedPrefixListsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import type { Clock } from '../clock.ts';
import type { Networks, Subnet } from '../networks.ts';

/** A role that was made a moment ago, as here in a first deploy, may not do everywhere yet what it says. */
const NOT_YET = 'UnauthorizedOperation';
const TRIES = 10;
const PAUSE_MILLISECONDS = 3_000;

async function patiently<T>(clock: Pick<Clock, 'wait'>, call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      const isPassing = error instanceof Error && error.name === NOT_YET;
      if (!isPassing || tries === TRIES) throw error;
      await clock.wait(PAUSE_MILLISECONDS);
    }
  }
}

/** Networks in EC2. It only looks. */
export function createEc2Networks(clock: Pick<Clock, 'wait'>): Networks {
  const client = new EC2Client({});
  const named = (filters: Record<string, string>) =>
    Object.entries(filters).map(([Name, value]) => ({ Name, Values: [value] }));
  return {
    async prefixListId(name) {
      const asked = new DescribeManagedPrefixListsCommand({ Filters: named({ 'prefix-list-name': name }) });
      const { PrefixLists } = await patiently(clock, () => client.send(asked));
      return PrefixLists?.[0]?.PrefixListId;
    },
    async securityGroupId(vpcId, name) {
      const Filters = named({ 'vpc-id': vpcId, 'group-name': name });
      const asked = new DescribeSecurityGroupsCommand({ Filters });
      const { SecurityGroups } = await patiently(clock, () => client.send(asked));
      return SecurityGroups?.[0]?.GroupId;
    },
    async subnets(ids) {
      if (ids.length === 0) return [];
      const asked = new DescribeSubnetsCommand({ SubnetIds: [...ids] });
      const { Subnets = [] } = await patiently(clock, () => client.send(asked));
      const found = Subnets.map(
        (one): Subnet => ({
          id: one.SubnetId ?? '',
          vpcId: one.VpcId ?? '',
          zone: one.AvailabilityZone ?? '',
          zoneId: one.AvailabilityZoneId ?? '',
          cidr: one.CidrBlock ?? '',
        }),
      );
      return ids.flatMap((id) => found.find((one) => one.id === id) ?? []);
    },
    async hasInternetGateway(vpcId) {
      const Filters = named({ 'attachment.vpc-id': vpcId });
      const asked = new DescribeInternetGatewaysCommand({ Filters });
      const { InternetGateways = [] } = await patiently(clock, () => client.send(asked));
      return InternetGateways.length > 0;
    },
  };
}
