import { Fn, NestedStack } from 'aws-cdk-lib';
import { type EventPattern, Match, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { managingRows } from '../../contract/functions.ts';
import type { AgentVariableName, Environment } from '../../settings/variable.ts';
import { LogIngestion } from '../log-ingestion.ts';
import type { Platform } from '../platform.ts';
import type { Settings } from '../settings.ts';
import { SlipwayFunction } from '../slipway-function.ts';
import { Front } from './front.ts';
import { suppressAgentFindings } from './nag-suppressions.ts';
import { agentLogGroupName, agentSecretPrefix } from './names.ts';
import { Network } from './network.ts';
import { Questions } from './questions.ts';
import { Servers } from './servers.ts';

/**
 * Where the installation runs agents itself: a network, a cluster of Fargate, one balancer and one front for
 * all of them, and the driver that makes a service for each set of servers at run time.
 */
export class AgentsStack extends NestedStack {
  /** What `cdk deploy` prints of it. */
  readonly outputs: Readonly<Record<string, string>>;
  /** What tells the metrics of agents from those of others. */
  readonly measured: Pick<Platform['variables'], 'MEASURED_CLUSTER' | 'MEASURED_LISTENER_ARN'>;
  /** Where agents answer, for the policy of pages that ask them. */
  readonly origins: readonly string[];
  readonly #zones: string[] | undefined;
  readonly driver: LambdaFunction;

  constructor(scope: Construct, id: string, platform: Platform) {
    super(scope, id, { description: 'Slipway: where agents run' });
    const { settings } = platform;
    this.#zones = settings.agentZones;
    const questions = new Questions(this, 'Questions', platform);
    const network = new Network(this, 'Network', settings, questions);
    const servers = new Servers(this, 'Servers', platform);
    const front = new Front(this, 'Front', platform, { network, questions });
    const { agentsDomain } = settings;
    this.origins = [front.url, ...(agentsDomain === undefined ? [] : [`https://*.${agentsDomain}`])];
    const subnets = network.vpc.selectSubnets(network.agentSubnets).subnetIds.join(',');
    const groups = network.agents.securityGroupId;
    this.outputs = outputsOf(settings, front, { network: network.vpc.vpcId, subnets, groups });
    this.measured = {
      MEASURED_CLUSTER: servers.cluster.ref,
      MEASURED_LISTENER_ARN: front.listener.listenerArn,
    };
    const variables: Environment<AgentVariableName> = {
      AGENTS_CLUSTER: servers.cluster.ref,
      AGENTS_VPC_ID: network.vpc.vpcId,
      AGENTS_SUBNETS: subnets,
      AGENTS_SECURITY_GROUPS: groups,
      AGENTS_PUBLIC_IP: settings.agentNetwork === 'public' ? 'true' : 'false',
      AGENTS_LISTENER_ARN: front.listener.listenerArn,
      AGENTS_EXECUTION_ROLE_ARN: servers.executionRole.roleArn,
      AGENTS_ROLE_ARN: settings.agentRole,
      AGENTS_LOG_GROUP_NAME: agentLogGroupName(settings),
      AGENTS_SECRET_PREFIX: agentSecretPrefix(settings),
      AGENTS_URL: front.url,
      AGENTS_DOMAIN: settings.agentsDomain,
    };
    const { function: driver } = new SlipwayFunction(this, 'Drive', {
      platform: { ...platform, variables: { ...platform.variables, ...variables } },
      ...managingRows.drive,
    });
    this.driver = driver;
    new LogIngestion(this, 'Output', {
      platform,
      row: managingRows.ingestOutput,
      logGroup: servers.logGroup,
    });
    for (const [name, eventPattern] of Object.entries(eventsOf(platform)))
      new Rule(this, name, {
        description: `Slipway: ${WHY}`,
        eventPattern,
        targets: [new LambdaTarget(driver)],
      });
    suppressAgentFindings(this, platform);
  }

  /** Those of the settings; else the first two, whatever they are called: the CDK would ask the account. */
  override get availabilityZones(): string[] {
    return this.#zones ?? [0, 1].map((index) => Fn.select(index, Fn.getAzs()));
  }
}

/** Where agents answer, and what has to admit them: a database of one's own, say. */
function outputsOf(
  { agentsDomain }: Settings,
  { url, distributionName }: Front,
  { network, subnets, groups }: { network: string; subnets: string; groups: string },
): Record<string, string> {
  return {
    AgentsUrl: url,
    ...(agentsDomain !== undefined && { AgentsRecord: `*.${agentsDomain} CNAME ${distributionName}` }),
    AgentsNetwork: network,
    AgentsSubnets: subnets,
    AgentsSecurityGroup: groups,
  };
}

const WHY = 'wakes the driver of a deployment whose servers came up, ended or cannot be placed';

/** What ECS says of the cluster, as far as it calls for a look. */
function eventsOf({ arns: { agents } }: Platform): Record<string, EventPattern> {
  const resources = Match.prefix(agents.services.replace('*', ''));
  return {
    TaskChanged: {
      source: ['aws.ecs'],
      detailType: ['ECS Task State Change'],
      detail: { clusterArn: [agents.cluster], lastStatus: ['RUNNING', 'STOPPED'] },
    },
    ServiceActed: {
      source: ['aws.ecs'],
      detailType: ['ECS Service Action'],
      resources,
      detail: { eventType: ['WARN', 'ERROR'] },
    },
  };
}
