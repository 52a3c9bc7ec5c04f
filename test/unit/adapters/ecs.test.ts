import {
  DeregisterScalableTargetCommand,
  ObjectNotFoundException,
  PutScalingPolicyCommand,
  RegisterScalableTargetCommand,
} from '@aws-sdk/client-application-auto-scaling';
import {
  CreateServiceCommand,
  DeleteServiceCommand,
  DeleteTaskDefinitionsCommand,
  DeregisterTaskDefinitionCommand,
  ListTaskDefinitionsCommand,
  RegisterTaskDefinitionCommand,
  UpdateServiceCommand,
} from '@aws-sdk/client-ecs';
import {
  AddTagsCommand,
  CreateRuleCommand,
  CreateTargetGroupCommand,
  DeleteRuleCommand,
  DeleteTargetGroupCommand,
  ModifyRuleCommand,
  RemoveTagsCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  ResourceExistsException,
} from '@aws-sdk/client-secrets-manager';
import { beforeEach, describe, expect, it } from 'vitest';
import { placeOfService, serviceName, tags, targetGroupName } from '../../../lib/adapters/aws/ecs/names.ts';
import {
  aServiceName,
  aSet,
  changes,
  compute,
  ecs,
  elb,
  failing,
  KEY,
  type Lying,
  lying,
  place,
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

describe('a look', () => {
  it('finds the sets of the deployment alone, on every page', async () => {
    lying({
      rules: [trialRule, productionRule],
      tags: { [tags.revision]: 'r1', [tags.startedFor]: 'r0', [tags.served]: 'true' },
      services: [{ status: 'ACTIVE', desiredCount: 2 }],
    });
    expect(await compute().look(place)).toEqual({
      traffic: KEY,
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
    expect((await compute().look(place)).sets).toMatchObject([{ isWhole: false }]);
  });
});

describe('a set', () => {
  it('is made with its target group first and its service once that has a rule', async () => {
    const lines = await compute().create(place, aSet);
    expect(changes()).toEqual([
      'CreateTargetGroup',
      'ModifyTargetGroupAttributes',
      'CreateRule',
      'CreateSecret',
      'RegisterTaskDefinition',
      'CreateService',
      'RegisterScalableTarget',
      'PutScalingPolicy',
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
    expect(JSON.stringify(definition?.args[0].input)).not.toContain('very secret');
    expect(ecs.commandCalls(CreateServiceCommand)[0]?.args[0].input).toMatchObject({
      serviceName: aServiceName,
      desiredCount: 2,
      loadBalancers: [{ targetGroupArn, containerName: 'agent', containerPort: 8000 }],
    });
  });

  it('that was begun gets what is missing of it', async () => {
    lying({ rules: [trialRule] });
    secrets
      .on(CreateSecretCommand)
      .rejects(new ResourceExistsException({ message: 'it exists', $metadata: {} }));
    await compute().create(place, { ...aSet, max: 1 });
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
    await compute().create(place, { ...aSet, max: 1 });
    expect(changes()).toEqual(['AddTags', 'ModifyTargetGroupAttributes']);
    const noted = elb.commandCalls(AddTagsCommand)[0]?.args[0].input.Tags;
    expect(noted).not.toContainEqual(expect.objectContaining({ Key: tags.startedFor }));
  });

  it('takes another priority where somebody was quicker', async () => {
    elb.on(CreateRuleCommand).rejectsOnce(failing('PriorityInUseException')).resolves({});
    await compute().create(place, aSet);
    const priorities = elb.commandCalls(CreateRuleCommand).map(({ args }) => args[0].input.Priority);
    expect(new Set(priorities).size).toBe(2);
  });

  it('with more than an item holds has several', async () => {
    const environment = Array.from({ length: 3 }, (_, index) => ({
      name: `N${index}`,
      value: String(index).repeat(40_000),
    }));
    await compute().create(place, { ...aSet, environment });
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
    await expect(compute().create(place, { ...aSet, cpu: 32 })).rejects.toMatchObject({
      name: 'ComputeRefused',
      message: expect.stringMatching(/the largest have 16 CPU and 122880 MB/),
    });
    expect(changes()).toEqual([]);
  });
});

describe('traffic', () => {
  it('moves in one write, after the set was noted to have served', async () => {
    lying({ rules: [trialRule, productionRule], services: [{ status: 'ACTIVE' }] });
    await compute().move(place, KEY, { name: 'app', revisionId: 'r2' });
    expect(changes()).toEqual(['AddTags', 'ModifyRule']);
    expect(elb.commandCalls(AddTagsCommand)[0]?.args[0].input.Tags).toEqual([
      { Key: tags.served, Value: 'true' },
      { Key: tags.revision, Value: 'r2' },
    ]);
    expect(elb.commandCalls(ModifyRuleCommand)[0]?.args[0].input).toMatchObject({ RuleArn: 'arn:rule' });
  });

  it('gets a rule the first time, for the header that the front sets', async () => {
    lying({ rules: [trialRule], services: [{ status: 'ACTIVE' }] });
    await compute().move(place, KEY, { name: 'app' });
    expect(elb.commandCalls(CreateRuleCommand)[0]?.args[0].input.Conditions).toEqual([
      {
        Field: 'http-header',
        HttpHeaderConfig: { HttpHeaderName: 'x-slipway-agent', Values: ['0190-tenant/app'] },
      },
    ]);
  });

  it('stops with the rule, and may have stopped before', async () => {
    lying({ rules: [trialRule, productionRule] });
    elb.on(DeleteRuleCommand).rejects(failing('RuleNotFoundException'));
    await compute().stopTraffic(place);
    expect(elb.commandCalls(DeleteRuleCommand)[0]?.args[0].input).toEqual({ RuleArn: 'arn:rule' });
  });
});

describe('a set that goes', () => {
  it('keeps its servers when it is retired, and nothing scales it', async () => {
    lying({ rules: [trialRule], services: [{ status: 'ACTIVE' }] });
    scaling
      .on(DeregisterScalableTargetCommand)
      .rejects(new ObjectNotFoundException({ message: 'none', $metadata: {} }));
    await compute().retire(place, KEY, 123);
    expect(changes()).toEqual(['DeregisterScalableTarget', 'AddTags']);
  });

  it('has its bounds again when it is taken back', async () => {
    lying({ services: [{ status: 'ACTIVE' }], tags: { [tags.min]: '2', [tags.max]: '5' } });
    await compute().revive(place, KEY, 3, { revisionId: 'r3' });
    expect(changes()).toEqual([
      'AddTags',
      'RemoveTags',
      'UpdateService',
      'RegisterScalableTarget',
      'PutScalingPolicy',
    ]);
    expect(elb.commandCalls(RemoveTagsCommand)[0]?.args[0].input.TagKeys).toEqual([tags.retiredAt]);
    expect(ecs.commandCalls(UpdateServiceCommand)[0]?.args[0].input.desiredCount).toBe(3);
    expect(scaling.commandCalls(RegisterScalableTargetCommand)[0]?.args[0].input).toMatchObject({
      MinCapacity: 2,
      MaxCapacity: 5,
    });
    expect(scaling.commandCalls(PutScalingPolicyCommand)).toHaveLength(1);
  });

  it('ends its servers first', async () => {
    lying({ rules: [trialRule], services: [{ status: 'ACTIVE' }] });
    expect(await compute().remove(place, KEY)).toBe('later');
    expect(changes()).toEqual(['AddTags', 'DeregisterScalableTarget', 'DeleteService']);
    expect(ecs.commandCalls(DeleteServiceCommand)[0]?.args[0].input).toMatchObject({ force: true });
  });

  it('waits while they end', async () => {
    lying({ services: [{ status: 'DRAINING' }], tags: { [tags.leaving]: 'true' } });
    expect(await compute().remove(place, KEY)).toBe('later');
    expect(changes()).toEqual(['DeregisterScalableTarget']);
  });

  it('leaves nothing, and its target group last', async () => {
    lying({ rules: [trialRule], tags: { [tags.leaving]: 'true', [tags.secrets]: '2' } });
    ecs.on(ListTaskDefinitionsCommand, { status: 'ACTIVE' }).resolves({ taskDefinitionArns: ['arn:d:1'] });
    ecs
      .on(ListTaskDefinitionsCommand, { status: 'INACTIVE' })
      .resolves({ taskDefinitionArns: Array.from({ length: 11 }, (_, index) => `arn:d:${index}`) });
    secrets.on(DeleteSecretCommand).rejectsOnce(failing('ResourceNotFoundException')).resolves({});
    expect(await compute().remove(place, KEY)).toBe('done');
    expect(changes()).toEqual([
      'DeregisterTaskDefinition',
      'DeleteTaskDefinitions',
      'DeleteTaskDefinitions',
      'DeleteSecret',
      'DeleteSecret',
      'DeleteRule',
      'DeleteTargetGroup',
    ]);
    expect(ecs.commandCalls(DeregisterTaskDefinitionCommand)).toHaveLength(1);
    expect(ecs.commandCalls(DeleteTaskDefinitionsCommand)).toHaveLength(2);
    expect(elb.commandCalls(DeleteTargetGroupCommand)).toHaveLength(1);
  });

  it('may be gone already', async () => {
    expect(await compute().remove(place, KEY)).toBe('done');
    expect(changes()).toEqual([]);
  });
});
