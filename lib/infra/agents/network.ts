import { Annotations, Stack } from 'aws-cdk-lib';
import {
  IpAddresses,
  type ISecurityGroup,
  type IVpc,
  Peer,
  Port,
  SecurityGroup,
  Subnet,
  type SubnetSelection,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { Questions } from './questions.ts';

const CIDR = '10.42.0.0/16';
/** Room for four thousand servers in each of two zones, or for a quarter of a smaller network. */
const AGENTS_MASK_MIN = 20;
const QUARTER_BITS = 2;
/** A balancer asks for eight free addresses in each. */
const BALANCER_MASK = 26;
export const AGENT_PORT = 8000;
/** Of the balancer. */
export const HTTP = 80;

/** Where servers and the balancer lie. */
type Place = {
  vpc: IVpc;
  agentSubnets: SubnetSelection;
  balancerSubnets: SubnetSelection;
  /** Of the balancer's subnets. */
  balancerCidrs: string[];
};

/**
 * Servers of agents, which nothing outside can reach though they may have public addresses; and a balancer
 * without one, which only the front can reach. Not even servers can: a request past the front could say that
 * it is for any agent, or came from anywhere.
 */
export class Network extends Construct {
  readonly vpc: IVpc;
  readonly agents: ISecurityGroup;
  /** Of the balancer: the second one is for the addresses of the front, which fill a group. */
  readonly balancer: readonly [ISecurityGroup, ISecurityGroup];
  readonly agentSubnets: SubnetSelection;
  readonly balancerSubnets: SubnetSelection;

  constructor(scope: Construct, id: string, settings: Settings, questions: Questions) {
    super(scope, id);
    const place = this.#given(settings, questions) ?? this.#made(settings);
    const { vpc } = place;
    this.vpc = vpc;
    this.agentSubnets = place.agentSubnets;
    this.balancerSubnets = place.balancerSubnets;
    const balancer = new SecurityGroup(this, 'BalancerGroup', {
      vpc,
      description: 'Slipway: the balancer before all agents',
      allowAllOutbound: false,
    });
    const addresses = new SecurityGroup(this, 'FrontGroup', {
      vpc,
      description: 'Slipway: addresses of CloudFront, before the balancer',
      allowAllOutbound: false,
    });
    this.agents = new SecurityGroup(this, 'AgentGroup', {
      vpc,
      description: 'Slipway: servers of agents',
      allowAllOutbound: true,
    });
    this.balancer = [balancer, addresses];
    // The front comes in by interfaces that CloudFront makes in the balancer's subnets. Whether rules see the
    // address of the interface, that of CloudFront or its group is not documented: each of them is let in.
    for (const cidr of place.balancerCidrs)
      balancer.addIngressRule(Peer.ipv4(cidr), Port.tcp(HTTP), 'the front, by its interfaces');
    const { answer } = questions.ask(this, 'FrontAddresses', { Find: 'front-addresses' });
    // The list counts as 55 of the 60 rules that a group may have.
    addresses.addIngressRule(Peer.prefixList(answer('PrefixListId')), Port.tcp(HTTP), 'the front');
    balancer.addEgressRule(this.agents, Port.tcp(AGENT_PORT), 'servers of agents');
    this.agents.addIngressRule(balancer, Port.tcp(AGENT_PORT), 'the balancer');
  }

  #made({ agentNetwork, agentCidr = CIDR }: Settings): Place {
    const isNat = agentNetwork === 'nat';
    const type = isNat ? SubnetType.PRIVATE_WITH_EGRESS : SubnetType.PUBLIC;
    const cidrMask = Math.max(AGENTS_MASK_MIN, Number(agentCidr.split('/')[1]) + QUARTER_BITS);
    const made = new Vpc(this, 'Vpc', {
      ipAddresses: IpAddresses.cidr(agentCidr),
      maxAzs: 2,
      natGateways: isNat ? 1 : 0,
      restrictDefaultSecurityGroup: false,
      subnetConfiguration: [
        { name: 'agents', subnetType: type, cidrMask, ...(!isNat && PUBLIC) },
        { name: 'balancer', subnetType: SubnetType.PRIVATE_ISOLATED, cidrMask: BALANCER_MASK },
        ...(isNat ? [{ name: 'nat', subnetType: SubnetType.PUBLIC, cidrMask: BALANCER_MASK }] : []),
      ],
    });
    const balancerSubnets = { subnetGroupName: 'balancer' };
    return {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the CDK's own types disagree
      vpc: made as IVpc,
      agentSubnets: { subnetGroupName: 'agents' },
      balancerSubnets,
      balancerCidrs: made.selectSubnets(balancerSubnets).subnets.map(({ ipv4CidrBlock }) => ipv4CidrBlock),
    };
  }

  /** A network that was there before, as far as a template can know it: the rest is asked by the deploy. */
  #given({ agentVpcId, agentSubnets, balancerSubnets }: Settings, questions: Questions): Place | undefined {
    if (agentVpcId === undefined || agentSubnets === undefined || balancerSubnets === undefined)
      return undefined;
    const { answer } = questions.ask(this, 'Given', {
      Find: 'given-network',
      VpcId: agentVpcId,
      AgentSubnets: agentSubnets,
      BalancerSubnets: balancerSubnets,
    });
    const named = (kind: string, ids: string[]): SubnetSelection => ({
      subnets: ids.map((subnetId, index) => {
        const subnet = Subnet.fromSubnetId(this, `${kind}${index}`, subnetId);
        // Nobody asks for its routes here.
        Annotations.of(subnet).acknowledgeWarning('@aws-cdk/aws-ec2:noSubnetRouteTableId');
        return subnet;
      }),
    });
    return {
      vpc: Vpc.fromVpcAttributes(this, 'Vpc', {
        vpcId: agentVpcId,
        availabilityZones: Stack.of(this).availabilityZones,
      }),
      agentSubnets: named('Agents', agentSubnets),
      balancerSubnets: named('Balancer', balancerSubnets),
      balancerCidrs: [answer('BalancerCidr0'), answer('BalancerCidr1')],
    };
  }
}

/** Servers get their address from their service: nothing else is started there. */
const PUBLIC = { mapPublicIpOnLaunch: false } as const;
