import { ApplicationAutoScalingClient } from '@aws-sdk/client-application-auto-scaling';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import {
  DescribeServicesCommand,
  DescribeTasksCommand,
  ECSClient,
  ListTaskDefinitionsCommand,
  ListTasksCommand,
  RegisterTaskDefinitionCommand,
  type Service,
  type Task,
} from '@aws-sdk/client-ecs';
import {
  CreateRuleCommand,
  CreateTargetGroupCommand,
  DescribeRulesCommand,
  DescribeTagsCommand,
  DescribeTargetGroupsCommand,
  DescribeTargetHealthCommand,
  ElasticLoadBalancingV2Client,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import {
  CreateSecretCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { mockClient } from 'aws-sdk-client-mock';
import { createEcsCompute } from '../../../lib/compute/ecs/compute.ts';
import { serviceName, tags, targetGroupName } from '../../../lib/compute/ecs/names.ts';
import type { NewServers } from '../../../lib/compute/managed.ts';
import { allTo } from '../../../lib/domain/rollout.ts';

/** An account with the parts of one set of servers, as scripted clients answer. */

export const ecs = mockClient(ECSClient);
export const elb = mockClient(ElasticLoadBalancingV2Client);
export const scaling = mockClient(ApplicationAutoScalingClient);
export const secrets = mockClient(SecretsManagerClient);
export const logs = mockClient(CloudWatchLogsClient);

export const place = { tenantId: '0190-tenant', deploymentId: '0190-deployment' };
export const KEY = '0123456789ab';
export const aServiceName = serviceName(place, KEY);
export const targetGroupArn = 'arn:target';
export const options = {
  cluster: 'agents',
  vpcId: 'vpc-1',
  subnets: ['subnet-1', 'subnet-2'],
  securityGroups: ['sg-1'],
  assignPublicIp: true,
  listenerArn: 'arn:listener',
  executionRoleArn: 'arn:execution',
  logGroupName: 'agents',
  region: 'eu-west-1',
  secretPrefix: 'slipway/dev',
  baseUrl: 'https://agents.example.com',
};
export const aSet: NewServers = {
  key: KEY,
  revisionId: 'r1',
  keys: { plain: KEY, fresh: 'fresh' },
  byTask: true,
  image: 'registry/app@sha256:1',
  platform: 'linux/amd64',
  environment: [
    { name: 'A:B', value: 'very secret' },
    { name: 'PORT', value: '8000' },
  ],
  cpu: 0.3,
  memoryMb: 768,
  health: { path: '/ok', statuses: '200-499', seconds: 600 },
  min: 1,
  max: 3,
  labels: { team: 'x' },
  wanted: 2,
  served: false,
  graceMilliseconds: 180_000,
};
/** Of the one deployment. */
export const compute = (given: Partial<typeof options> & { dockerHubSecret?: string } = {}) =>
  createEcsCompute({ ...options, ...given })({ ...place, name: 'app' });

/** Makes the set, and gives what is said of it. */
export async function create(set: NewServers, made = compute()): Promise<string[]> {
  const lines: string[] = [];
  await made.create(set, (line) => void lines.push(line));
  return lines;
}

/** Sends all the traffic to the one set. */
export const move = (note: { revisionId?: string } = {}) => compute().move(allTo(KEY), note);

const ruleOf = (header: string, value: string, arn = 'arn:rule', Priority = '1') => ({
  RuleArn: arn,
  Priority,
  Conditions: [{ Field: 'http-header', HttpHeaderConfig: { HttpHeaderName: header, Values: [value] } }],
  Actions: [{ Type: 'forward' as const, TargetGroupArn: targetGroupArn }],
});
export const trialRule = ruleOf('x-slipway-trial', KEY, 'arn:trial', '2');
export const productionRule = ruleOf('x-slipway-agent', 'a/b');

export type Lying = { rules?: object[]; tags?: Record<string, string>; services?: Partial<Service>[] };

/** What lies in the account of the one set; nothing when not even its target group does. */
export function lying(there: Lying | undefined): void {
  const group = { TargetGroupName: targetGroupName(place, KEY), TargetGroupArn: targetGroupArn };
  const stranger = { TargetGroupName: 'sw-somebody-else', TargetGroupArn: 'arn:stranger' };
  elb.on(DescribeTargetGroupsCommand, {}).resolves({ TargetGroups: [stranger], NextMarker: 'more' });
  elb
    .on(DescribeTargetGroupsCommand, { Marker: 'more' })
    .resolves({ TargetGroups: there === undefined ? [] : [group] });
  elb.on(DescribeRulesCommand).resolves({ Rules: there?.rules ?? [] });
  const Tags = Object.entries(there?.tags ?? {}).map(([Key, Value]) => ({ Key, Value }));
  elb.on(DescribeTagsCommand).resolves({ TagDescriptions: [{ ResourceArn: targetGroupArn, Tags }] });
  elb.on(DescribeTargetHealthCommand).resolves({
    TargetHealthDescriptions: [
      { TargetHealth: { State: 'healthy' } },
      { TargetHealth: { State: 'initial' } },
    ],
  });
  ecs.on(DescribeServicesCommand).resolves({
    services: (there?.services ?? []).map((service) => ({ serviceName: aServiceName, ...service })),
  });
}

/** Sinon counts the calls of all spies together. */
const numberOf = (call: object): number => Number(Reflect.get(call, 'callId'));

/** What was changed, in its order; what only looks is left out. */
export function changes(): string[] {
  const calls: { args: readonly unknown[] }[] = [
    ...ecs.calls(),
    ...elb.calls(),
    ...scaling.calls(),
    ...secrets.calls(),
  ];
  return calls
    .toSorted((one, other) => numberOf(one) - numberOf(other))
    .map(({ args }) => Object(args[0]).constructor.name.replace(/Command$/, ''))
    .filter((each) => !/^(?:Describe|List|Get)/.test(each));
}

export const failing = (errorName: string, message = 'no') =>
  Object.assign(new Error(message), { name: errorName });

/** Nothing lies there, and whatever is asked for is made. */
export function resetAccount(): void {
  for (const mock of [ecs, elb, scaling, secrets, logs]) mock.reset();
  lying(undefined);
  elb.on(CreateTargetGroupCommand).callsFake(() => {
    lying({});
    return { TargetGroups: [{ TargetGroupArn: targetGroupArn }] };
  });
  elb.on(CreateRuleCommand).resolves({});
  ecs.on(RegisterTaskDefinitionCommand).resolves({ taskDefinition: { taskDefinitionArn: 'arn:definition' } });
  ecs.on(ListTaskDefinitionsCommand).resolves({ taskDefinitionArns: [] });
  secrets.on(CreateSecretCommand).resolves({ ARN: 'arn:secret' });
  secrets.on(PutSecretValueCommand).resolves({ ARN: 'arn:secret' });
}

/** What is noted of a set whose servers are missing. */
export const sized = {
  [tags.cpu]: '0.5',
  [tags.memoryMb]: '1024',
  [tags.platform]: 'linux/amd64',
  [tags.revision]: 'r2',
  [tags.startedFor]: 'r1',
};

export const IMAGE = 'registry/app:1';

/** Tasks of the set that have ended, the oldest first. */
export function ended(...tasks: Partial<Task>[]): void {
  ecs.on(ListTasksCommand).resolves({ taskArns: tasks.map((_, index) => `arn:task/agents/t${index}`) });
  ecs.on(DescribeTasksCommand).resolves({
    tasks: tasks.map((task, index) => ({
      taskArn: `arn:task/agents/t${index}`,
      stoppedAt: new Date(index * 1000),
      ...task,
    })),
  });
}

/** One that could not be started. */
export const unfetched = (reason: string): Partial<Task> => ({
  stopCode: 'TaskFailedToStart',
  stoppedReason: reason,
  containers: [{ name: 'agent', image: IMAGE }],
});
