import type { Arns, PolicyCondition, Rule } from '../access.ts';

// What the driver of Fargate may do: with the cluster of this installation, the listener of its balancer, and
// target groups that carry the name of this cluster as a tag.

const CLUSTER_TAG = 'slipway:cluster';

const equals = (key: string, value: string): PolicyCondition => ({ StringEquals: { [key]: value } });
const clusterName = ({ agents }: Arns): string => agents.cluster.split('/').at(-1) ?? '';
const ofOurs = (arns: Arns): PolicyCondition => equals(`aws:ResourceTag/${CLUSTER_TAG}`, clusterName(arns));
const asOurs = (arns: Arns): PolicyCondition => equals(`aws:RequestTag/${CLUSTER_TAG}`, clusterName(arns));
const ofServices = (): PolicyCondition => equals('application-autoscaling:service-namespace', 'ecs');

const balancer = (...actions: string[]): string[] =>
  actions.map((action) => `elasticloadbalancing:${action}`);
const ecs = (...actions: string[]): string[] => actions.map((action) => `ecs:${action}`);

export const looking: Rule[] = [
  // These know no resource.
  {
    actions: balancer(
      'DescribeAccountLimits',
      'DescribeTargetGroups',
      'DescribeRules',
      'DescribeTags',
      'DescribeTargetHealth',
    ),
    resources: () => ['*'],
  },
  {
    actions: ecs('ListTasks'),
    resources: () => ['*'],
    condition: ({ agents }) => ({ ArnEquals: { 'ecs:cluster': agents.cluster } }),
  },
  { actions: ecs('DescribeServices'), resources: ({ agents }) => [agents.services] },
  { actions: ecs('DescribeTasks'), resources: ({ agents }) => [agents.tasks] },
  { actions: ['logs:GetLogEvents'], resources: ({ agents }) => [agents.logStreams] },
];

/** What reads the metrics of agents; these know no resource. Without agents it may do nothing. */
export const measuring: Rule[] = [
  {
    actions: ['cloudwatch:GetMetricData', ...balancer('DescribeTags', 'DescribeTargetGroups')],
    resources: ({ agents }) => agents.measured,
  },
];

export const lookingAtNetworks: Rule[] = [
  // These know no resource.
  {
    actions: ['InternetGateways', 'ManagedPrefixLists', 'SecurityGroups', 'Subnets'].map(
      (what) => `ec2:Describe${what}`,
    ),
    resources: () => ['*'],
  },
];

export const changing: Rule[] = [
  // By its family, and with the tag of this cluster.
  {
    actions: ecs('RegisterTaskDefinition'),
    resources: ({ agents }) => [agents.taskDefinitions],
    condition: asOurs,
  },
  // These know neither a resource nor a tag. A definition that is deregistered starts no more tasks, and what
  // runs of it goes on: whoever owns it registers it again.
  { actions: ecs('DeregisterTaskDefinition', 'ListTaskDefinitions'), resources: () => ['*'] },
  {
    actions: ecs('DeleteTaskDefinitions', 'TagResource'),
    resources: ({ agents }) => [agents.taskDefinitions],
  },
  {
    actions: ecs('CreateService', 'UpdateService', 'DeleteService', 'TagResource'),
    resources: ({ agents }) => [agents.services],
  },
  {
    actions: balancer('CreateTargetGroup', 'AddTags'),
    resources: ({ agents }) => [agents.targetGroups],
    condition: asOurs,
  },
  {
    actions: balancer('AddTags', 'RemoveTags', 'ModifyTargetGroupAttributes', 'DeleteTargetGroup'),
    resources: ({ agents }) => [agents.targetGroups],
    condition: ofOurs,
  },
  { actions: balancer('CreateRule'), resources: ({ agents }) => [agents.listener] },
  { actions: balancer('ModifyRule', 'DeleteRule'), resources: ({ agents }) => [agents.listenerRules] },
  {
    actions: ['RegisterScalableTarget', 'DeregisterScalableTarget', 'PutScalingPolicy'].map(
      (action) => `application-autoscaling:${action}`,
    ),
    resources: ({ agents }) => [agents.scalers],
    condition: ofServices,
  },
  { actions: ['cloudwatch:DescribeAlarms'], resources: () => ['*'] },
  // Alarms by which a service grows and shrinks: made and deleted with its policy, in the caller's name.
  {
    actions: ['cloudwatch:DeleteAlarms', 'cloudwatch:PutMetricAlarm'],
    resources: ({ agents }) => [agents.alarms],
  },
  {
    actions: ['CreateSecret', 'PutSecretValue', 'DeleteSecret', 'TagResource'].map(
      (action) => `secretsmanager:${action}`,
    ),
    resources: ({ agents }) => [agents.secrets],
  },
  {
    actions: ['iam:PassRole'],
    resources: ({ agents }) => agents.roles,
    condition: () => equals('iam:PassedToService', 'ecs-tasks.amazonaws.com'),
  },
  // An account that has scaled no service before lacks the role that does it.
  {
    actions: ['iam:CreateServiceLinkedRole'],
    resources: ({ agents }) => [agents.scalingRole],
    condition: () => equals('iam:AWSServiceName', 'ecs.application-autoscaling.amazonaws.com'),
  },
];
