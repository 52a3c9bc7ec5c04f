import {
  IpAddresses,
  type ISecurityGroup,
  type IVpc,
  Peer,
  Port,
  SecurityGroup,
  type SubnetSelection,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

const CIDR = '10.42.0.0/16';
/** Room for four thousand servers in each of two zones. */
const AGENTS_MASK = 20;
/** A balancer asks for eight free addresses in each. */
const BALANCER_MASK = 26;
export const AGENT_PORT = 8000;
const HTTP = 80;

/**
 * A network of its own: servers of agents, which nothing outside can reach though they may have public
 * addresses; and a balancer without one, which only the front and the servers' neighbours can.
 */
export class Network extends Construct {
  readonly vpc: IVpc;
  readonly agents: ISecurityGroup;
  readonly balancer: ISecurityGroup;
  readonly agentSubnets: SubnetSelection = { subnetGroupName: 'agents' };
  readonly balancerSubnets: SubnetSelection = { subnetGroupName: 'balancer' };

  constructor(scope: Construct, id: string, { agentNetwork }: Settings) {
    super(scope, id);
    const isNat = agentNetwork === 'nat';
    const type = isNat ? SubnetType.PRIVATE_WITH_EGRESS : SubnetType.PUBLIC;
    const made = new Vpc(this, 'Vpc', {
      ipAddresses: IpAddresses.cidr(CIDR),
      maxAzs: 2,
      natGateways: isNat ? 1 : 0,
      restrictDefaultSecurityGroup: false,
      subnetConfiguration: [
        { name: 'agents', subnetType: type, cidrMask: AGENTS_MASK, ...(!isNat && PUBLIC) },
        { name: 'balancer', subnetType: SubnetType.PRIVATE_ISOLATED, cidrMask: BALANCER_MASK },
        ...(isNat ? [{ name: 'nat', subnetType: SubnetType.PUBLIC, cidrMask: BALANCER_MASK }] : []),
      ],
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the CDK's own types disagree
    this.vpc = made as IVpc;
    const { vpc } = this;
    this.balancer = new SecurityGroup(this, 'BalancerGroup', {
      vpc,
      description: 'Slipway: the balancer before all agents',
      allowAllOutbound: false,
    });
    this.agents = new SecurityGroup(this, 'AgentGroup', {
      vpc,
      description: 'Slipway: servers of agents',
      allowAllOutbound: true,
    });
    // The front comes in by interfaces that CloudFront makes in this network.
    this.balancer.addIngressRule(Peer.ipv4(CIDR), Port.tcp(HTTP), 'the front');
    this.balancer.addEgressRule(this.agents, Port.tcp(AGENT_PORT), 'servers of agents');
    this.agents.addIngressRule(this.balancer, Port.tcp(AGENT_PORT), 'the balancer');
  }
}

/** Servers get their address from their service: nothing else is started there. */
const PUBLIC = { mapPublicIpOnLaunch: false } as const;
