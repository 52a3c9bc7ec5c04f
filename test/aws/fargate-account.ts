import {
  ApplicationAutoScalingClient,
  DescribeScalableTargetsCommand,
} from '@aws-sdk/client-application-auto-scaling';
import {
  AttachInternetGatewayCommand,
  CreateInternetGatewayCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  DescribeManagedPrefixListsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import {
  DescribeServicesCommand,
  ECSClient,
  ListServicesCommand,
  ListTaskDefinitionsCommand,
  type Service,
} from '@aws-sdk/client-ecs';
import {
  DescribeListenersCommand,
  DescribeLoadBalancersCommand,
  DescribeRulesCommand,
  DescribeTargetGroupsCommand,
  ElasticLoadBalancingV2Client,
  type Rule,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import {
  CreateSecretCommand,
  ListSecretsCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { AGENT_HEADER } from '../../lib/contract/agent-front.ts';
import { openGateway } from '../support/aws/gateway.ts';
import { awsEnvironment, clientConfig } from './aws-environment.ts';
import type { Emulator } from './emulator.ts';

export const CLUSTER = 'slipway-test-agents';

/** What lies in the account of agents, as an operator would look at it. */
export class FargateAccount {
  readonly ecs: ECSClient;
  readonly elb: ElasticLoadBalancingV2Client;
  readonly #networks: EC2Client;
  readonly #secrets: SecretsManagerClient;
  readonly #scaling: ApplicationAutoScalingClient;
  readonly #port: number;

  constructor(emulator: Emulator) {
    const config = clientConfig(emulator);
    this.ecs = new ECSClient(config);
    this.elb = new ElasticLoadBalancingV2Client(config);
    this.#networks = new EC2Client(config);
    this.#secrets = new SecretsManagerClient(config);
    this.#scaling = new ApplicationAutoScalingClient(config);
    this.#port = emulator.port;
  }

  /** Services that are there, those that end included. */
  async services(): Promise<Service[]> {
    const { serviceArns = [] } = await this.ecs.send(new ListServicesCommand({ cluster: CLUSTER }));
    if (serviceArns.length === 0) return [];
    const asked = new DescribeServicesCommand({ cluster: CLUSTER, services: serviceArns });
    const { services = [] } = await this.ecs.send(asked);
    return services.filter(({ status }) => status !== 'INACTIVE');
  }

  async rules(): Promise<Rule[]> {
    const { LoadBalancers = [] } = await this.elb.send(new DescribeLoadBalancersCommand({}));
    const { Listeners = [] } = await this.elb.send(
      new DescribeListenersCommand({ LoadBalancerArn: LoadBalancers[0]?.LoadBalancerArn }),
    );
    const [listener] = Listeners;
    const { Rules = [] } = await this.elb.send(
      new DescribeRulesCommand({ ListenerArn: listener?.ListenerArn }),
    );
    return Rules.filter(({ IsDefault }) => IsDefault !== true);
  }

  /** Who may reach the balancer, in words, by the rules of its groups. */
  async entrances(): Promise<string[]> {
    const { LoadBalancers: [balancer] = [] } = await this.elb.send(new DescribeLoadBalancersCommand({}));
    const inNetwork = [{ Name: 'vpc-id', Values: [balancer?.VpcId ?? ''] }];
    const ofFront = [{ Name: 'prefix-list-name', Values: ['com.amazonaws.global.cloudfront.origin-facing'] }];
    const [{ SecurityGroups = [] }, { Subnets = [] }, { PrefixLists = [] }] = await Promise.all([
      this.#networks.send(new DescribeSecurityGroupsCommand({ Filters: inNetwork })),
      this.#networks.send(new DescribeSubnetsCommand({ Filters: inNetwork })),
      this.#networks.send(new DescribeManagedPrefixListsCommand({ Filters: ofFront })),
    ]);
    const names = new Map([
      ...SecurityGroups.map(({ GroupId, GroupName }) => [GroupId, GroupName] as const),
      ...PrefixLists.map(({ PrefixListId, PrefixListName }) => [PrefixListId, PrefixListName] as const),
      ...Subnets.map(({ CidrBlock, SubnetId }) => {
        const isBalancer = balancer?.AvailabilityZones?.some((zone) => zone.SubnetId === SubnetId);
        return [CidrBlock, isBalancer === true ? 'a subnet of the balancer' : 'a subnet of agents'] as const;
      }),
    ]);
    const own = SecurityGroups.filter(({ GroupId }) => balancer?.SecurityGroups?.includes(GroupId ?? ''));
    const rules = own.flatMap(({ IpPermissions = [] }) => IpPermissions);
    const sources = rules.flatMap(({ IpRanges = [], PrefixListIds = [], UserIdGroupPairs = [] }) => [
      ...IpRanges.map(({ CidrIp }) => CidrIp),
      ...PrefixListIds.map(({ PrefixListId }) => PrefixListId),
      ...UserIdGroupPairs.map(({ GroupId }) => GroupId),
    ]);
    return sources.map((source) => names.get(source) ?? `${source}, which is neither`).toSorted();
  }

  /** Makes a network with two subnets in each of two zones, as CloudFront wants it. */
  async makeNetwork(): Promise<{ id: string; subnets: string[] }> {
    const { Vpc } = await this.#networks.send(new CreateVpcCommand({ CidrBlock: '10.77.0.0/16' }));
    const id = Vpc?.VpcId ?? '';
    const subnets: string[] = [];
    for (const [index, zone] of ['a', 'b', 'a', 'b'].entries()) {
      const CidrBlock = `10.77.${index}.0/24`;
      const asked = new CreateSubnetCommand({
        VpcId: id,
        CidrBlock,
        AvailabilityZone: `${awsEnvironment.AWS_REGION}${zone}`,
      });
      subnets.push((await this.#networks.send(asked)).Subnet?.SubnetId ?? '');
    }
    const { InternetGateway } = await this.#networks.send(new CreateInternetGatewayCommand({}));
    const InternetGatewayId = InternetGateway?.InternetGatewayId;
    await this.#networks.send(new AttachInternetGatewayCommand({ VpcId: id, InternetGatewayId }));
    return { id, subnets };
  }

  /** Makes an item of Secrets Manager. */
  async store(Name: string, SecretString: string): Promise<void> {
    await this.#secrets.send(new CreateSecretCommand({ Name, SecretString }));
  }

  /** What of sets is left, by kind. */
  async left(): Promise<Record<string, unknown[]>> {
    const definitions = async (status: 'ACTIVE' | 'INACTIVE') =>
      (await this.ecs.send(new ListTaskDefinitionsCommand({ status }))).taskDefinitionArns ?? [];
    const [services, rules, groups, active, inactive, secrets, scalers] = await Promise.all([
      this.services(),
      this.rules(),
      this.elb.send(new DescribeTargetGroupsCommand({})),
      definitions('ACTIVE'),
      definitions('INACTIVE'),
      this.#secrets.send(new ListSecretsCommand({})),
      this.#scaling.send(new DescribeScalableTargetsCommand({ ServiceNamespace: 'ecs' })),
    ]);
    return {
      services: services.map(({ serviceName }) => serviceName),
      rules: rules.map(({ RuleArn }) => RuleArn),
      targetGroups: (groups.TargetGroups ?? []).map(({ TargetGroupName }) => TargetGroupName),
      taskDefinitions: [...active, ...inactive],
      secrets: (secrets.SecretList ?? []).map(({ Name }) => Name),
      scalers: (scalers.ScalableTargets ?? []).map(({ ResourceId }) => ResourceId),
    };
  }

  /** Reaches the balancer, which the emulator serves under a name that no resolver knows. */
  async openBalancer(): Promise<Balancer> {
    const { LoadBalancers = [] } = await this.elb.send(new DescribeLoadBalancersCommand({}));
    const { baseUrl, close } = await openGateway(`http://${LoadBalancers[0]?.DNSName}:${this.#port}`);
    const ask = (agent: string, path = '/') =>
      fetch(`${baseUrl}${path}`, { headers: { [AGENT_HEADER]: agent } });
    return { ask, close };
  }

  close(): void {
    for (const client of [this.ecs, this.elb, this.#networks, this.#secrets, this.#scaling]) client.destroy();
  }
}

export type Balancer = {
  /** Asks an agent as the front does. */
  ask(agent: string, path?: string): Promise<Response>;
  close(): Promise<void>;
};
