import { managingRows } from '../../contract/functions.ts';
import { type AgentArns, nameOf } from '../platform.ts';
import type { Settings } from '../settings.ts';

// Names of what agents run on: the driver's role is made of them, before there is anything.

/** Of the cluster and of the balancer, whose name may have 32 characters. */
export const agentsName = (settings: Settings): string => nameOf(settings, 'agents');
export const executionRoleName = (settings: Settings): string => nameOf(settings, 'agent-start');
export const agentLogGroupName = ({ environment }: Settings): string => `/slipway/${environment}/agents`;
export const agentSecretPrefix = ({ environment }: Settings): string => `slipway/${environment}/agents`;

/** What functions hear of it that agents run here. */
export const managingVariables = (settings: Settings) => {
  const { compute, agentSecrets, dockerHubSecret } = settings;
  return {
    MANAGED_COMPUTE: compute === 'fargate' ? ('ecs' as const) : undefined,
    DRIVE_FUNCTION_NAME: compute === undefined ? undefined : nameOf(settings, managingRows.drive.name),
    AGENT_SECRETS: agentSecrets,
    DOCKER_HUB_SECRET_ARN: dockerHubSecret,
  };
};

/** As Secrets Manager appends it to the name of each item in its ARN. */
const ITEM_SUFFIX = '-??????';

type Places = {
  /** An ARN of a service in this region and account. */
  at: (service: string, resource: string) => string;
  role: (name: string) => string;
};

/** What a policy says of an item of Secrets Manager that a setting names, by name or ARN. */
const itemArn = (item: string, at: Places['at']): string =>
  item.startsWith('arn:') ? item : at('secretsmanager', `secret:${item}${ITEM_SUFFIX}`);

/** The ARNs of what the driver works on. */
export function agentArns(settings: Settings, { at, role }: Places): AgentArns {
  const name = agentsName(settings);
  const { agentSecrets } = settings;
  return {
    cluster: at('ecs', `cluster/${name}`),
    services: at('ecs', `service/${name}/*`),
    tasks: at('ecs', `task/${name}/*`),
    taskDefinitions: at('ecs', 'task-definition/slipway_*:*'),
    targetGroups: at('elasticloadbalancing', 'targetgroup/sw-*/*'),
    listener: at('elasticloadbalancing', `listener/app/${name}/*`),
    listenerRules: at('elasticloadbalancing', `listener-rule/app/${name}/*`),
    scalers: at('application-autoscaling', 'scalable-target/*'),
    alarms: at('cloudwatch', `alarm:TargetTracking-service/${name}/*`),
    scalingRole: role(
      'aws-service-role/ecs.application-autoscaling.amazonaws.com/AWSServiceRoleForApplicationAutoScaling_ECSService',
    ),
    secrets: at('secretsmanager', `secret:${agentSecretPrefix(settings)}/*`),
    sharedVariables: agentSecrets === undefined ? [] : [itemArn(agentSecrets, at)],
    measured: settings.compute === undefined ? [] : ['*'],
    logStreams: at('logs', `log-group:${agentLogGroupName(settings)}:log-stream:*`),
    roles: [
      role(executionRoleName(settings)),
      ...(settings.agentRole === undefined ? [] : [settings.agentRole]),
    ],
  };
}
