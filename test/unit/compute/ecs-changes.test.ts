import {
  DeregisterScalableTargetCommand,
  ObjectNotFoundException,
  PutScalingPolicyCommand,
  RegisterScalableTargetCommand,
} from '@aws-sdk/client-application-auto-scaling';
import {
  DeleteServiceCommand,
  DeleteTaskDefinitionsCommand,
  DeregisterTaskDefinitionCommand,
  ListTaskDefinitionsCommand,
  UpdateServiceCommand,
} from '@aws-sdk/client-ecs';
import {
  AddTagsCommand,
  CreateRuleCommand,
  DeleteRuleCommand,
  DeleteTargetGroupCommand,
  ModifyRuleCommand,
  RemoveTagsCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { DeleteSecretCommand } from '@aws-sdk/client-secrets-manager';
import { beforeEach, describe, expect, it } from 'vitest';
import { tags } from '../../../lib/compute/ecs/names.ts';
import {
  changes,
  compute,
  ecs,
  elb,
  failing,
  KEY,
  lying,
  move,
  productionRule,
  resetAccount,
  scaling,
  secrets,
  trialRule,
} from '../../support/aws/ecs-account.ts';

beforeEach(resetAccount);

describe('traffic', () => {
  it('moves in one write, after the set was noted to have served', async () => {
    lying({ rules: [trialRule, productionRule], services: [{ status: 'ACTIVE' }] });
    await move({ revisionId: 'r2' });
    expect(changes()).toEqual(['AddTags', 'ModifyRule']);
    expect(elb.commandCalls(AddTagsCommand)[0]?.args[0].input.Tags).toEqual([
      { Key: tags.served, Value: 'true' },
      { Key: tags.revision, Value: 'r2' },
    ]);
    expect(elb.commandCalls(ModifyRuleCommand)[0]?.args[0].input).toMatchObject({ RuleArn: 'arn:rule' });
  });

  it('has one rule afterwards, should there have been two', async () => {
    const double = { ...productionRule, RuleArn: 'arn:double', Priority: '7' };
    lying({ rules: [double, trialRule, productionRule], services: [{ status: 'ACTIVE' }] });
    await move();
    expect(elb.commandCalls(ModifyRuleCommand)[0]?.args[0].input).toMatchObject({ RuleArn: 'arn:rule' });
    expect(elb.commandCalls(DeleteRuleCommand).map(({ args }) => args[0].input)).toEqual([
      { RuleArn: 'arn:double' },
    ]);
  });

  it('gets a rule the first time, for the header that the front sets', async () => {
    lying({ rules: [trialRule], services: [{ status: 'ACTIVE' }] });
    await move();
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
    await compute().stopTraffic();
    expect(elb.commandCalls(DeleteRuleCommand)[0]?.args[0].input).toEqual({ RuleArn: 'arn:rule' });
  });
});

describe('a rule', () => {
  it('is made once, though the answer of the call that made it was lost', async () => {
    lying({ services: [{ status: 'ACTIVE' }] });
    elb.on(CreateRuleCommand).callsFake(({ Conditions, Actions }) => {
      lying({ rules: [{ RuleArn: 'arn:made', Priority: '9', Conditions, Actions }] });
      throw failing('PriorityInUseException');
    });
    await move();
    expect(elb.commandCalls(CreateRuleCommand)).toHaveLength(1);
  });
});

describe('a set that goes', () => {
  it('keeps its servers when it is retired, and nothing scales it', async () => {
    lying({ rules: [trialRule], services: [{ status: 'ACTIVE' }] });
    scaling
      .on(DeregisterScalableTargetCommand)
      .rejects(new ObjectNotFoundException({ message: 'none', $metadata: {} }));
    await compute().retire(KEY, 123);
    expect(changes()).toEqual(['DeregisterScalableTarget', 'AddTags']);
  });

  it('has its bounds again when it is taken back', async () => {
    lying({ services: [{ status: 'ACTIVE' }], tags: { [tags.min]: '2', [tags.max]: '5' } });
    await compute().revive(KEY, 3, { revisionId: 'r3' });
    expect(changes()).toEqual([
      'UpdateService',
      'RegisterScalableTarget',
      'PutScalingPolicy',
      'AddTags',
      'AddTags',
      'RemoveTags',
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
    expect(await compute().remove(KEY)).toBe('later');
    expect(changes()).toEqual([
      'AddTags',
      'DeregisterScalableTarget',
      'ModifyTargetGroupAttributes',
      'DeleteService',
    ]);
    expect(ecs.commandCalls(DeleteServiceCommand)[0]?.args[0].input).toMatchObject({ force: true });
  });

  it('stays when it has got the traffic meanwhile', async () => {
    lying({ rules: [trialRule, productionRule], services: [{ status: 'ACTIVE' }] });
    await expect(compute().remove(KEY)).rejects.toMatchObject({ name: 'ComputeBusy' });
    expect(changes()).toEqual([]);
  });

  it('that has no service is left for a moment to whoever may be making it', async () => {
    lying({ rules: [trialRule] });
    expect(await compute().remove(KEY)).toBe('later');
    expect(changes()).toEqual(['AddTags']);
  });

  it('waits while they end', async () => {
    lying({ services: [{ status: 'DRAINING' }], tags: { [tags.leaving]: 'true' } });
    expect(await compute().remove(KEY)).toBe('later');
    expect(changes()).toEqual(['DeregisterScalableTarget']);
  });

  it('leaves nothing, and its target group last', async () => {
    lying({ rules: [trialRule], tags: { [tags.leaving]: 'true', [tags.secrets]: '2' } });
    ecs.on(ListTaskDefinitionsCommand, { status: 'ACTIVE' }).resolves({ taskDefinitionArns: ['arn:d:1'] });
    ecs
      .on(ListTaskDefinitionsCommand, { status: 'INACTIVE' })
      .resolves({ taskDefinitionArns: Array.from({ length: 11 }, (_, index) => `arn:d:${index}`) });
    secrets.on(DeleteSecretCommand).rejectsOnce(failing('ResourceNotFoundException')).resolves({});
    expect(await compute().remove(KEY)).toBe('done');
    expect(changes()).toEqual([
      'DeleteRule',
      'DeregisterTaskDefinition',
      'DeleteTaskDefinitions',
      'DeleteTaskDefinitions',
      'DeleteSecret',
      'DeleteSecret',
      'DeleteTargetGroup',
    ]);
    expect(ecs.commandCalls(DeregisterTaskDefinitionCommand)).toHaveLength(1);
    expect(ecs.commandCalls(DeleteTaskDefinitionsCommand)).toHaveLength(2);
    expect(elb.commandCalls(DeleteTargetGroupCommand)).toHaveLength(1);
  });

  it('may be denied to a run that comes second, for what is gone has no tags', async () => {
    lying({ tags: { [tags.leaving]: 'true' } });
    elb.on(DeleteTargetGroupCommand).rejectsOnce(failing('AccessDenied'));
    await expect(compute().remove(KEY)).rejects.toMatchObject({ name: 'AccessDenied' });
    elb.on(DeleteTargetGroupCommand).callsFake(() => {
      lying(undefined);
      throw failing('AccessDenied');
    });
    await expect(compute().remove(KEY)).rejects.toMatchObject({ name: 'ComputeBusy' });
  });

  it('may be gone already', async () => {
    expect(await compute().remove(KEY)).toBe('done');
    expect(changes()).toEqual([]);
  });
});
