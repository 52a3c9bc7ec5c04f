import type { StackResourceSummary } from '@aws-sdk/client-cloudformation';
import {
  DescribeAvailabilityZonesCommand,
  DescribeSubnetsCommand,
  type EC2Client,
} from '@aws-sdk/client-ec2';
import { ZONES_WITHOUT_FRONT } from '../../contract/agent-front.ts';

const ZONES = 2;

export type Zone = { name: string; id: string };
export const isReached = ({ id }: Zone): boolean => !ZONES_WITHOUT_FRONT.includes(id);

/** The zones of a region that are open to this account, by name. Local Zones are none of them. */
export async function zonesOf(client: EC2Client): Promise<Zone[]> {
  const { AvailabilityZones = [] } = await client.send(
    new DescribeAvailabilityZonesCommand({
      Filters: [
        { Name: 'zone-type', Values: ['availability-zone'] },
        { Name: 'state', Values: ['available'] },
      ],
    }),
  );
  return AvailabilityZones.map(({ ZoneName: name = '', ZoneId: id = '' }) => ({ name, id })).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
}

/** Two zones for the agents of a first deploy. Throws where there are no two that CloudFront reaches. */
export function chooseZones(zones: readonly Zone[]): string {
  const reached = zones.filter(isReached);
  if (reached.length >= ZONES)
    return reached
      .slice(0, ZONES)
      .map(({ name }) => name)
      .join(',');
  throw new Error(
    `compute=fargate needs two zones that CloudFront reaches, and of ${shown(zones)} there ${reached.length === 1 ? 'is one' : 'are none'}. Deploy in another region.`,
  );
}

/** Throws when CloudFront does not reach one of the zones that somebody has chosen. */
export function checkZones(chosen: readonly string[], zones: readonly Zone[]): void {
  for (const name of chosen) {
    const zone = zones.find((each) => each.name === name);
    if (zone !== undefined && isReached(zone)) continue;
    const why =
      zone === undefined ? 'is no zone of this region' : `is ${zone.id}, which CloudFront does not reach`;
    throw new Error(
      `agentZones=${chosen.join(',')}: ${name} ${why}. Take two of ${shown(zones.filter(isReached))}, or deploy without agentZones.`,
    );
  }
}

const shown = (zones: readonly Zone[]): string =>
  zones.map(({ name, id }) => `${name} (${id})`).join(', ') || 'no zone at all';

/** Of the agents' subnets, as the CDK calls them in the stack. */
const AGENTS_SUBNET = /^NetworkVpcagentsSubnet\d+Subnet[0-9A-F]{8}$/;

/** The zones that agents run in, in the order of their subnets; undefined: none do. */
export async function deployedZones(
  client: EC2Client,
  made: readonly StackResourceSummary[],
): Promise<string | undefined> {
  const ids = made
    .filter(({ LogicalResourceId = '' }) => AGENTS_SUBNET.test(LogicalResourceId))
    .sort((a, b) => ((a.LogicalResourceId ?? '') < (b.LogicalResourceId ?? '') ? -1 : 1))
    .flatMap(({ PhysicalResourceId }) => PhysicalResourceId ?? []);
  if (ids.length === 0) return undefined;
  const { Subnets = [] } = await client.send(new DescribeSubnetsCommand({ SubnetIds: ids }));
  return ids.map((id) => Subnets.find(({ SubnetId }) => SubnetId === id)?.AvailabilityZone ?? '').join(',');
}
