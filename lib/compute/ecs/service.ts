import {
  DeregisterScalableTargetCommand,
  PutScalingPolicyCommand,
  RegisterScalableTargetCommand,
} from '@aws-sdk/client-application-auto-scaling';
import {
  CreateServiceCommand,
  DeleteServiceCommand,
  DeleteTaskDefinitionsCommand,
  DeregisterTaskDefinitionCommand,
  paginateListTaskDefinitions,
  RegisterTaskDefinitionCommand,
  UpdateServiceCommand,
} from '@aws-sdk/client-ecs';
import { isOnDockerHub } from '../../contract/images/docker-hub.ts';
import type { DeploymentRef } from '../../contract/refs.ts';
import type { NewServers } from '../managed.ts';
import { type Aws, unless } from './clients.ts';
import { placeTags, serviceName } from './names.ts';
import { CONTAINER, CONTAINER_PORT, type EcsOptions } from './options.ts';
import type { Placed } from './secret-items.ts';
import type { Size } from './sizes.ts';

/** Between SIGTERM and SIGKILL; Fargate allows two minutes. */
const STOP_SECONDS = 120;
/** What a server that AWS starts in another's place has to get ready, at the least. */
const START_SECONDS = 600;
/** Above that share of its processors a set grows. */
const CPU_PERCENT = 70;
/** It shrinks more slowly than it grows: agents' runs are long. */
const COOLDOWN_SECONDS = { out: 60, in: 300 } as const;

const ecsTags = (given: Record<string, string>) =>
  Object.entries(given).map(([key, value]) => ({ key, value }));

export async function registerTaskDefinition(
  aws: Aws,
  place: DeploymentRef,
  set: NewServers,
  { size, variables }: { size: Size; variables: readonly Placed[] },
): Promise<string> {
  const { options } = aws;
  const command = new RegisterTaskDefinitionCommand({
    family: serviceName(place, set.key),
    networkMode: 'awsvpc',
    requiresCompatibilities: ['FARGATE'],
    cpu: String(size.cpu),
    memory: String(size.memoryMb),
    runtimePlatform: {
      operatingSystemFamily: 'LINUX',
      cpuArchitecture: set.platform.startsWith('linux/arm64') ? 'ARM64' : 'X86_64',
    },
    executionRoleArn: options.executionRoleArn,
    ...(options.taskRoleArn !== undefined && { taskRoleArn: options.taskRoleArn }),
    containerDefinitions: [
      {
        name: CONTAINER,
        image: set.image,
        ...(set.startLine !== undefined && { entryPoint: ['sh', '-c'], command: [set.startLine] }),
        ...credentialsFor(options, set.image),
        essential: true,
        portMappings: [{ containerPort: CONTAINER_PORT, protocol: 'tcp' }],
        secrets: [...variables, ...sharedVariables(set)],
        stopTimeout: STOP_SECONDS,
        logConfiguration: {
          logDriver: 'awslogs',
          options: {
            'awslogs-group': options.logGroupName,
            'awslogs-region': options.region,
            'awslogs-stream-prefix': `${place.tenantId}/${place.deploymentId}/${set.revisionId}`,
          },
        },
      },
    ],
    tags: ecsTags({ ...set.labels, ...placeTags(options, place, set.key) }),
  });
  const { taskDefinition } = await aws.ecs.send(command);
  if (taskDefinition?.taskDefinitionArn === undefined)
    throw new Error('ECS registered a task definition without an ARN');
  return taskDefinition.taskDefinitionArn;
}

/** Each server that starts gets what the item has by then. */
const sharedVariables = ({ shared }: NewServers): Placed[] =>
  (shared?.variables ?? []).map(({ name, key }) => ({ name, valueFrom: `${shared?.arn}:${key}::` }));

/** An account at Docker Hub is for its images alone: another registry must not be shown it. */
const credentialsFor = ({ dockerHubSecret }: EcsOptions, image: string) =>
  dockerHubSecret !== undefined && isOnDockerHub(image)
    ? { repositoryCredentials: { credentialsParameter: dockerHubSecret } }
    : {};

/** Only for a set that has none: a token for the client may not be used again, so it has been looked for. */
export async function createService(
  { ecs, options }: Aws,
  place: DeploymentRef,
  set: NewServers,
  of: { taskDefinition: string; targetGroupArn: string },
): Promise<void> {
  const command = new CreateServiceCommand({
    cluster: options.cluster,
    serviceName: serviceName(place, set.key),
    taskDefinition: of.taskDefinition,
    desiredCount: set.wanted,
    launchType: 'FARGATE',
    loadBalancers: [
      { targetGroupArn: of.targetGroupArn, containerName: CONTAINER, containerPort: CONTAINER_PORT },
    ],
    networkConfiguration: {
      awsvpcConfiguration: {
        subnets: [...options.subnets],
        securityGroups: [...options.securityGroups],
        assignPublicIp: options.assignPublicIp ? 'ENABLED' : 'DISABLED',
      },
    },
    // Checks go on every few seconds while a server starts; ECS would end it for not answering yet.
    healthCheckGracePeriodSeconds: Math.max(START_SECONDS, set.health.seconds),
    // Nothing moves servers that answer long requests. No circuit breaker either: it would give up for good
    // on servers that come up again once their database does.
    availabilityZoneRebalancing: 'DISABLED',
    propagateTags: 'TASK_DEFINITION',
    tags: ecsTags(placeTags(options, place, set.key)),
  });
  await ecs.send(command);
}

export async function setDesired(
  { ecs, options: { cluster } }: Aws,
  service: string,
  desiredCount: number,
): Promise<void> {
  await ecs.send(new UpdateServiceCommand({ cluster, service, desiredCount }));
}

/** Its servers get SIGTERM, and it goes when they have ended. */
export async function deleteService({ ecs, options: { cluster } }: Aws, service: string): Promise<void> {
  const command = new DeleteServiceCommand({ cluster, service, force: true });
  await unless(ecs.send(command), 'ServiceNotFoundException', 'ServiceNotActiveException');
}

/** Those of a family, whatever state a run that was cut off has left them in. */
export async function deleteTaskDefinitions(aws: Aws, family: string): Promise<void> {
  for (const taskDefinition of await definitionsOf(aws, family, 'ACTIVE'))
    await aws.ecs.send(new DeregisterTaskDefinitionCommand({ taskDefinition }));
  const left = await definitionsOf(aws, family, 'INACTIVE');
  for (let from = 0; from < left.length; from += DEFINITIONS_A_CALL) {
    const taskDefinitions = left.slice(from, from + DEFINITIONS_A_CALL);
    await aws.ecs.send(new DeleteTaskDefinitionsCommand({ taskDefinitions }));
  }
}

const DEFINITIONS_A_CALL = 10;

async function definitionsOf(
  { ecs }: Aws,
  familyPrefix: string,
  status: 'ACTIVE' | 'INACTIVE',
): Promise<string[]> {
  const arns: string[] = [];
  const pages = paginateListTaskDefinitions({ client: ecs }, { familyPrefix, status });
  for await (const { taskDefinitionArns = [] } of pages) arns.push(...taskDefinitionArns);
  return arns;
}

const scalable = ({ options: { cluster } }: Aws, service: string) =>
  ({
    ServiceNamespace: 'ecs',
    ResourceId: `service/${cluster}/${service}`,
    ScalableDimension: 'ecs:service:DesiredCount',
  }) as const;

/** Lets a set grow and shrink within its bounds; one that has no room for that has no scaler. */
export async function letScale(
  aws: Aws,
  service: string,
  { min, max }: { min: number; max: number },
): Promise<void> {
  if (max <= min) return;
  const target = scalable(aws, service);
  await aws.scaling.send(
    new RegisterScalableTargetCommand({ ...target, MinCapacity: min, MaxCapacity: max }),
  );
  await aws.scaling.send(
    new PutScalingPolicyCommand({
      ...target,
      PolicyName: 'cpu',
      PolicyType: 'TargetTrackingScaling',
      TargetTrackingScalingPolicyConfiguration: {
        TargetValue: CPU_PERCENT,
        PredefinedMetricSpecification: { PredefinedMetricType: 'ECSServiceAverageCPUUtilization' },
        ScaleOutCooldown: COOLDOWN_SECONDS.out,
        ScaleInCooldown: COOLDOWN_SECONDS.in,
      },
    }),
  );
}

/** From now on nothing but us changes how many servers there are. */
export async function freezeScale(aws: Aws, service: string): Promise<void> {
  const command = new DeregisterScalableTargetCommand(scalable(aws, service));
  await unless(aws.scaling.send(command), 'ObjectNotFoundException');
}
