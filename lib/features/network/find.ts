import type { Networks, Subnet } from '../../adapters/networks.ts';
import { ZONES_WITHOUT_FRONT } from '../../contract/agent-front.ts';
import { type NetworkAnswers, type NetworkQuestion, networkQuestion } from './shape.ts';

/** Addresses that requests of CloudFront come from. AWS keeps the list, and it has this name in each region. */
const FRONT_ADDRESSES = 'com.amazonaws.global.cloudfront.origin-facing';
/** CloudFront makes this group in a network when it first has an origin there, for its interfaces. */
const FRONT_GROUP = 'CloudFront-VPCOrigins-Service-SG';

type Deps = { networks: Networks };
type Answer<Q extends keyof NetworkAnswers> = Record<NetworkAnswers[Q], string>;

/**
 * Finds in the account what a template cannot know: where requests of the front come from, and what a network
 * that was given is like. Throws, in words, for a network in which agents could not be reached.
 */
export async function findInNetwork({ networks }: Deps, asked: unknown): Promise<Record<string, string>> {
  const about = networkQuestion.parse(asked);
  switch (about.Find) {
    case 'front-addresses':
      return frontAddresses(networks);
    case 'front-group':
      return frontGroup(networks, about);
    case 'given-network':
      return givenNetwork(networks, about);
  }
}

type About<Q extends keyof NetworkAnswers> = Extract<NetworkQuestion, { Find: Q }>;

async function frontAddresses(networks: Networks): Promise<Answer<'front-addresses'>> {
  const PrefixListId = await networks.prefixListId(FRONT_ADDRESSES);
  if (PrefixListId === undefined)
    throw new Error(
      `This region has no prefix list ${FRONT_ADDRESSES}: CloudFront reaches no balancer here. Deploy agents in another region.`,
    );
  return { PrefixListId };
}

async function frontGroup(
  networks: Networks,
  { VpcId, OrElse }: About<'front-group'>,
): Promise<Answer<'front-group'>> {
  return { GroupId: (await networks.securityGroupId(VpcId, FRONT_GROUP)) ?? OrElse };
}

async function givenNetwork(
  networks: Networks,
  given: About<'given-network'>,
): Promise<Answer<'given-network'>> {
  const { VpcId: vpcId } = given;
  const agents = await networks.subnets(given.AgentSubnets);
  const balancer = await networks.subnets(given.BalancerSubnets);
  for (const [setting, subnets] of [
    ['agentSubnets', agents],
    ['balancerSubnets', balancer],
  ] as const) {
    const problem = problemOf(subnets, vpcId);
    if (problem !== undefined) throw new Error(`${setting}: ${problem}`);
  }
  const unreached = balancer.find(({ zoneId }) => ZONES_WITHOUT_FRONT.includes(zoneId));
  if (unreached !== undefined)
    throw new Error(
      `balancerSubnets: CloudFront reaches no balancer in ${unreached.zoneId}, where ${unreached.id} lies. Give a subnet in another zone.`,
    );
  if (!(await networks.hasInternetGateway(vpcId)))
    throw new Error(
      `agentVpcId: ${vpcId} has no internet gateway. CloudFront takes no origin in a network without one, though no request goes through it. Attach one.`,
    );
  return { BalancerCidr0: balancer[0]?.cidr ?? '', BalancerCidr1: balancer[1]?.cidr ?? '' };
}

function problemOf(subnets: readonly Subnet[], vpcId: string): string | undefined {
  const stranger = subnets.find((one) => one.vpcId !== vpcId);
  if (stranger !== undefined)
    return `${stranger.id} lies in ${stranger.vpcId}, not in agentVpcId=${vpcId}. Give two subnets of that network.`;
  const [one, other] = subnets;
  if (one?.zone === other?.zone) return `both subnets lie in ${one?.zone}. Give two in two zones.`;
  return undefined;
}
