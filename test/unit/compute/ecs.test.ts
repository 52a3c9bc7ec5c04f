import { RegisterScalableTargetCommand } from '@aws-sdk/client-application-auto-scaling';
import { CreateServiceCommand, RegisterTaskDefinitionCommand } from '@aws-sdk/client-ecs';
import {
  AddTagsCommand,
  CreateRuleCommand,
  CreateTargetGroupCommand,
  DescribeAccountLimitsCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { CreateSecretCommand, ResourceExistsException } from '@aws-sdk/client-secrets-manager';
import { beforeEach, describe, expect, it } from 'vitest';
import { placeOfService, serviceName, tags, targetGroupName } from '../../../lib/compute/ecs/names.ts';
import { allTo } from '../../../lib/domain/rollout.ts';
import {
  aServiceName,
  aSet,
  changes,
  compute,
  create,
  ecs,
  elb,
  failing,
  KEY,
  type Lying,
  lying,
  productionRule,
  resetAccount,
  scaling,
  secrets,
  targetGroupArn,
  trialRule,
} from '../../support/aws/ecs-account.ts';

beforeEach(resetAccount);

describe('names', () => {
  it('fit, and those of services carry the ids', () => {
    const long = { tenantId: crypto.randomUUID(), deploymentId: crypto.randomUUID() };
    expect(targetGroupName(long, KEY)).toMatch(/^[a-z0-9-]{32}$/);
    expect(serviceName(long, KEY).length).toBeLessThan(255);
    expect(placeOfService(serviceName(long, KEY))).toEqual(long);
    expect(placeOfService(`arn:aws:ecs:eu-west-1:1:service/agents/${serviceName(long, KEY)}`)).toEqual(long);
    expect(placeOfService('somebody-elses')).toBeUndefined();
  });
});

describe('what a balancer may have', () => {
  it('is what the account says, and what nearly all have where it says nothing', async () => {
    elb.on(DescribeAccountLimitsCommand).resolves({
      Limits: [
        { Name: 'target-groups', Max: '3000' },
        { Name: 'rules-per-application-load-balancer', Max: '250' },
      ],
    });
    expect(await compute().quotas?.()).toEqual({ targetGroups: 100, rules: 250 });
    elb.on(DescribeAccountLimitsCommand).rejects(new Error('denied'));
    expect(await compute().quotas?.()).toEqual({ targetGroups: 100, rules: 100 });
  });

  it('is in use by all deployments: the default rule does not count, and a target group once', async () => {
    lying({ rules: [trialRule, productionRule, { IsDefault: true, Actions: [{ Type: 'fixed-response' }] }] });
    expect((await compute().look()).inUse).toEqual({ targetGroups: 1, rules: 2 });
  });
});

describe('a look', () => {
  it('finds the sets of the deployment alone, on every page', async () => {
    lying({
      rules: [trialRule, productionRule],
      tags: { [tags.revision]: 'r1', [tags.startedFor]: 'r0', [tags.served]: 'true' },
      services: [{ status: 'ACTIVE', desiredCount: 2 }],
    });
    expect(await compute().look()).toEqual({
      traffic: allTo(KEY),
      inUse: { targetGroups: 1, rules: 2 },
      sets: [
        {
          key: KEY,
          wanted: 2,
          ready: 1,
          served: true,
          revisionId: 'r1',
          startedFor: 'r0',
          retiredAt: undefined,
          isLeaving: false,
          isWhole: true,
        },
      ],
    });
  });

  it.each<[what: string, there: Lying]>([
    [
      'whose service was deleted',
      { rules: [trialRule], services: [{ status: 'INACTIVE', desiredCount: 0 }] },
    ],
    ['whose service is going', { rules: [trialRule], services: [{ status: 'DRAINING', desiredCount: 0 }] }],
    ['without a rule', { services: [{ status: 'ACTIVE', desiredCount: 1 }] }],
  ])('says of a set %s that it is not whole', async (_, there) => {
    lying(there);
    expect((await compute().look()).sets).toMatchObject([{ isWhole: false }]);
  });
});

describe('a set', () => {
  it('is made with its target group first and its service once that has a rule', async () => {
    const lines = await create(aSet);
    expect(changes()).toEqual([
      'CreateTargetGroup',
      'ModifyTargetGroupAttributes',
      'CreateRule',
      'CreateSecret',
      'RegisterTaskDefinition',
      'CreateService',
      'RegisterScalableTarget',
      'PutScalingPolicy',
      'AddTags',
    ]);
    expect(lines).toEqual([
      'Fargate has no servers with 0.3 CPU and 768 MB: these have 0.5 CPU and 1024 MB.',
    ]);
    const [definition] = ecs.commandCalls(RegisterTaskDefinitionCommand);
    const { cpu, memory, containerDefinitions, taskRoleArn } = definition?.args[0].input ?? {};
    expect({ cpu, memory, taskRoleArn }).toEqual({ cpu: '512', memory: '1024', taskRoleArn: undefined });
    expect(containerDefinitions).toMatchObject([
      {
        secrets: [
          { name: 'A:B', valueFrom: 'arn:secret:v0::' },
          { name: 'PORT', valueFrom: 'arn:secret:v1::' },
        ],
        logConfiguration: {
          options: { 'awslogs-stream-prefix': '0190-tenant/0190-deployment/r1' },
        },
      },
    ]);
    const [group] = elb.commandCalls(CreateTargetGroupCommand);
    expect(group?.args[0].input.Tags).toContainEqual({ Key: tags.startedFor, Value: 'r1' });
    expect(group?.args[0].input).toMatchObject({ HealthCheckPath: '/ok', Matcher: { HttpCode: '200-499' } });
    expect(containerDefinitions?.[0]).not.toHaveProperty('entryPoint');
    expect(JSON.stringify(definition?.args[0].input)).not.toContain('very secret');
    expect(ecs.commandCalls(CreateServiceCommand)[0]?.args[0].input).toMatchObject({
      serviceName: aServiceName,
      desiredCount: 2,
      loadBalancers: [{ targetGroupArn, containerName: 'agent', containerPort: 8000 }],
    });
  });

  it('is started and asked as its deployment says', async () => {
    const health = { path: '/ready?a', statuses: '200-399', seconds: 900 };
    await create({ ...aSet, startLine: 'exec ./serve --port $PORT', health });
    const { containerDefinitions } = ecs.commandCalls(RegisterTaskDefinitionCommand)[0]?.args[0].input ?? {};
    expect(containerDefinitions).toMatchObject([
      { entryPoint: ['sh', '-c'], command: ['exec ./serve --port $PORT'] },
    ]);
    expect(elb.commandCalls(CreateTargetGroupCommand)[0]?.args[0].input).toMatchObject({
      HealthCheckPath: '/ready?a',
      Matcher: { HttpCode: '200-399' },
    });
    expect(ecs.commandCalls(CreateServiceCommand)[0]?.args[0].input).toMatchObject({
      healthCheckGracePeriodSeconds: 900,
    });
  });

  it('is fetched with the account at Docker Hub if its image lies there, and with no other', async () => {
    const own = compute({ dockerHubSecret: 'hub' });
    const credentialsFor = async (image: string) => {
      resetAccount();
      await create({ ...aSet, image }, own);
      const [definition] = ecs.commandCalls(RegisterTaskDefinitionCommand);
      return definition?.args[0].input.containerDefinitions?.[0]?.repositoryCredentials;
    };
    expect(await credentialsFor('me/app:1')).toEqual({ credentialsParameter: 'hub' });
    expect(await credentialsFor(aSet.image)).toEqual({ credentialsParameter: 'hub' });
    expect(await credentialsFor('registry.example/app')).toBeUndefined();
  });

  it('whose scaler is missing is not whole', async () => {
    const bounds = { [tags.min]: '1', [tags.max]: '3' };
    const there = { rules: [trialRule], services: [{ status: 'ACTIVE', desiredCount: 2 }] };
    lying({ ...there, tags: bounds });
    expect((await compute().look()).sets).toMatchObject([{ isWhole: false }]);
    lying({ ...there, tags: { ...bounds, [tags.scaled]: 'true' } });
    expect((await compute().look()).sets).toMatchObject([{ isWhole: true }]);
  });

  it('that is on its way out is not made anew', async () => {
    lying({ rules: [trialRule], tags: { [tags.leaving]: 'true' } });
    await expect(create(aSet)).rejects.toMatchObject({ name: 'ComputeBusy' });
    expect(changes()).toEqual([]);
  });

  it.each([
    ['is removed', undefined],
    ['begins to go', { tags: { [tags.leaving]: 'true' } }],
  ])('that %s while it is made leaves nothing', async (_, then) => {
    ecs.on(CreateServiceCommand).callsFake(() => lying(then));
    await expect(create({ ...aSet, max: 1 })).rejects.toMatchObject({
      name: 'ComputeBusy',
    });
    expect(changes().slice(-2)).toEqual(['DeleteService', 'DeleteSecret']);
  });

  it.each([
    ['is removed', undefined],
    ['begins to go', { tags: { [tags.leaving]: 'true' } }],
  ])('that %s while it gets its scaler leaves none', async (_, then) => {
    lying({ rules: [trialRule], services: [{ status: 'ACTIVE', desiredCount: 2 }] });
    scaling.on(RegisterScalableTargetCommand).callsFake(() => lying(then));
    await expect(create({ ...aSet, max: 3 })).rejects.toMatchObject({
      name: 'ComputeBusy',
    });
    expect(changes().slice(-3)).toEqual([
      'RegisterScalableTarget',
      'PutScalingPolicy',
      'DeregisterScalableTarget',
    ]);
  });

  it('that was begun gets what is missing of it', async () => {
    lying({ rules: [trialRule] });
    secrets
      .on(CreateSecretCommand)
      .rejects(new ResourceExistsException({ message: 'it exists', $metadata: {} }));
    await create({ ...aSet, max: 1 });
    expect(changes()).toEqual([
      'AddTags',
      'ModifyTargetGroupAttributes',
      'CreateSecret',
      'PutSecretValue',
      'RegisterTaskDefinition',
      'CreateService',
    ]);
  });

  it('that is there is left as it is', async () => {
    lying({ rules: [trialRule], services: [{ status: 'ACTIVE', desiredCount: 2 }] });
    await create({ ...aSet, max: 1 });
    expect(changes()).toEqual(['AddTags', 'ModifyTargetGroupAttributes']);
    const noted = elb.commandCalls(AddTagsCommand)[0]?.args[0].input.Tags;
    expect(noted).not.toContainEqual(expect.objectContaining({ Key: tags.startedFor }));
  });

  it('takes another priority where somebody was quicker', async () => {
    elb.on(CreateRuleCommand).rejectsOnce(failing('PriorityInUseException')).resolves({});
    await create(aSet);
    const priorities = elb.commandCalls(CreateRuleCommand).map(({ args }) => args[0].input.Priority);
    expect(new Set(priorities).size).toBe(2);
  });

  it('with more than an item holds has several', async () => {
    const environment = Array.from({ length: 3 }, (_, index) => ({
      name: `N${index}`,
      value: String(index).repeat(40_000),
    }));
    await create({ ...aSet, environment });
    const stored = secrets.commandCalls(CreateSecretCommand).map(({ args }) => args[0].input);
    expect(stored.map(({ Name }) => Name)).toEqual(
      [0, 1, 2].map((index) => `slipway/dev/0190-tenant/0190-deployment/${KEY}-${index}`),
    );
    for (const { SecretString = '' } of stored) expect(SecretString.length).toBeLessThan(65_536);
    expect(elb.commandCalls(CreateTargetGroupCommand)[0]?.args[0].input.Tags).toContainEqual({
      Key: tags.secrets,
      Value: '3',
    });
  });

  it('larger than anything there is is refused before anything is made', async () => {
    await expect(create({ ...aSet, cpu: 32 })).rejects.toMatchObject({
      name: 'ComputeRefused',
      message: expect.stringMatching(/the largest have 16 CPU and 122880 MB/),
    });
    expect(changes()).toEqual([]);
  });
});
