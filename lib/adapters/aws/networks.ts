import {
  DescribeInternetGatewaysCommand,
  DescribeManagedPrefixListsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import type { Networks, Subnet } from '../networks.ts';

/** Networks in EC2. It only looks. */
export function createEc2Networks(): Networks {
  const client = new EC2Client({});
  const named = (filters: Record<string, string>) =>
    Object.entries(filters).map(([Name, value]) => ({ Name, Values: [value] }));
  return {
    async prefixListId(name) {
      const asked = new DescribeManagedPrefixListsCommand({ Filters: named({ 'prefix-list-name': name }) });
      return (await client.send(asked)).PrefixLists?.[0]?.PrefixListId;
    },
    async securityGroupId(vpcId, name) {
      const Filters = named({ 'vpc-id': vpcId, 'group-name': name });
      const found = await client.send(new DescribeSecurityGroupsCommand({ Filters }));
      return found.SecurityGroups?.[0]?.GroupId;
    },
    async subnets(ids) {
      if (ids.length === 0) return [];
      const { Subnets = [] } = await client.send(new DescribeSubnetsCommand({ SubnetIds: [...ids] }));
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
      const { InternetGateways = [] } = await client.send(new DescribeInternetGatewaysCommand({ Filters }));
      return InternetGateways.length > 0;
    },
  };
}
