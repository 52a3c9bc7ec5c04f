import { GetLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { CreateServiceCommand, type Task } from '@aws-sdk/client-ecs';
import {
  DeleteTargetGroupCommand,
  DescribeTargetHealthCommand,
  type TargetHealth,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { createDriver } from '../../../lib/adapters/aws/waker.ts';
import { tags } from '../../../lib/compute/ecs/names.ts';
import type { AgentFailure } from '../../../lib/domain/agent-failure.ts';
import {
  aSet,
  compute,
  create,
  ecs,
  elb,
  ended,
  failing,
  IMAGE,
  KEY,
  logs,
  lying,
  place,
  resetAccount,
  sized,
  unfetched,
} from '../../support/aws/ecs-account.ts';

beforeEach(resetAccount);

describe('an answer of AWS', () => {
  const cases: [name: string, message: string, kind: string, words: RegExp][] = [
    ['ThrottlingException', 'Rate exceeded', 'ComputeBusy', /fewer requests/],
    ['TooManyTargetGroupsException', 'no', 'ComputeBusy', /quota of target groups of the account/],
    [
      'TooManyUniqueTargetGroupsPerLoadBalancerException',
      'no',
      'ComputeBusy',
      /100, not adjustable.* Delete agents\.$/,
    ],
    ['TooManyRulesException', 'no', 'ComputeBusy', /rules of the balancer is used up.* or have it raised\.$/],
    [
      'InvalidParameterException',
      'Unable to Start a service that is still Draining.',
      'ComputeBusy',
      /still ends its servers/,
    ],
    [
      'InvalidParameterException',
      'The target group with targetGroupArn arn:x does not have an associated load balancer.',
      'ComputeBusy',
      /not know yet/,
    ],
    ['InvalidParameterException', 'Creation of service was not idempotent.', 'ComputeBusy', /not know yet/],
    [
      'InvalidRequestException',
      "You can't create this secret because a secret with this name is already scheduled for deletion.",
      'ComputeBusy',
      /not know yet/,
    ],
    ['InvalidParameterException', 'Invalid image', 'ComputeRefused', /does not take it: Invalid image/],
    ['AccessDeniedException', 'not authorized', 'AccessDeniedException', /not authorized/],
  ];

  it.each(cases)('%s (%s) is %s', async (errorName, message, kind, words) => {
    ecs.on(CreateServiceCommand).rejects(failing(errorName, message));
    await expect(create(aSet)).rejects.toMatchObject({
      name: kind,
      message: expect.stringMatching(words),
    });
  });

  it('that a target group is still in use passes', async () => {
    lying({ tags: { [tags.leaving]: 'true' } });
    elb.on(DeleteTargetGroupCommand).rejects(failing('ResourceInUseException'));
    await expect(compute().remove(KEY)).rejects.toMatchObject({ name: 'ComputeBusy' });
  });
});

const exit = (exitCode: number, reason = ''): Partial<Task> => ({
  stopCode: 'EssentialContainerExited',
  stoppedReason: 'Essential container in task exited',
  memory: '1024',
  containers: [{ name: 'agent', image: IMAGE, exitCode, reason }],
});

describe('servers are missing', () => {
  const failure = () => compute().failureOf(KEY);

  it('for no reason that another service of the same name has left', async () => {
    const createdAt = new Date(5_000);
    lying({ tags: sized, services: [{ status: 'ACTIVE', createdAt }] });
    elb.on(DescribeTargetHealthCommand).resolves({ TargetHealthDescriptions: [] });
    ended(
      { ...unfetched('CannotPullContainerError: manifest unknown'), createdAt: new Date(4_000) },
      { ...exit(3), createdAt: new Date(4_500) },
      { ...exit(3), createdAt: new Date(4_600) },
    );
    expect(await failure()).toBeUndefined();
  });

  it('because they need more memory than they have', async () => {
    lying({ tags: sized });
    ended(exit(137, 'OutOfMemoryError: Container killed due to memory usage'));
    expect(await failure()).toEqual({ kind: 'out_of_memory', limitField: 'memory_mb', limitMb: 1024 });
  });

  it('because they exit again and again, with what they wrote last', async () => {
    lying({ tags: sized });
    ended(exit(1), exit(3));
    logs.on(GetLogEventsCommand).resolves({ events: [{ message: 'no such module' }] });
    expect(await failure()).toEqual({ kind: 'exited', exitCode: 3, times: 2, output: ['no such module'] });
    expect(logs.commandCalls(GetLogEventsCommand)[0]?.args[0].input).toMatchObject({
      logStreamName: '0190-tenant/0190-deployment/r1/agent/t1',
      limit: 30,
    });
  });

  it('with what the one before wrote, while the lines of the last one are on their way', async () => {
    lying({ tags: sized });
    ended(exit(1), exit(3), exit(3));
    logs.on(GetLogEventsCommand).resolves({ events: [] });
    logs
      .on(GetLogEventsCommand, { logStreamName: '0190-tenant/0190-deployment/r1/agent/t1' })
      .resolves({ events: [{ message: 'no such module' }] });
    expect(await failure()).toMatchObject({ times: 3, output: ['no such module'] });
  });

  it('not for one that exited once, nor for what was stopped on purpose', async () => {
    lying({ tags: sized });
    elb.on(DescribeTargetHealthCommand).resolves({});
    ended(exit(1));
    expect(await failure()).toBeUndefined();
    ended(
      { ...exit(143), stopCode: 'ServiceSchedulerInitiated' },
      { ...exit(143), stopCode: 'UserInitiated' },
    );
    expect(await failure()).toBeUndefined();
  });

  it.each<[said: string, expected: AgentFailure]>([
    [
      'was unable to place a task. Reason: Capacity is unavailable at this time.',
      { kind: 'no_capacity', cpu: 0.5, memoryMb: 1024, said: expect.any(String) },
    ],
    [
      "was unable to place a task. Reason: You've reached the limit on the number of vCPUs you can run concurrently.",
      { kind: 'quota', quota: 'Fargate On-Demand vCPU resource count', said: expect.any(String) },
    ],
  ])('because the service %s', async (message, expected) => {
    lying({ tags: sized, services: [{ status: 'ACTIVE', events: [{ message }, { message: 'older' }] }] });
    ended();
    expect(await failure()).toEqual(expected);
  });

  it.each<[what: string, health: TargetHealth, expected: AgentFailure]>([
    [
      'answer another status',
      { Reason: 'Target.ResponseCodeMismatch', Description: 'Health checks failed with these codes: [503]' },
      { kind: 'ok_status', status: 503, path: '/ok' },
    ],
    [
      'answer nothing',
      { Reason: 'Target.Timeout', Description: 'Request timed out' },
      { kind: 'ok_silent', port: 8000, path: '/ok' },
    ],
  ])('because they %s', async (_, health, expected) => {
    lying({ tags: sized });
    ended();
    elb
      .on(DescribeTargetHealthCommand)
      .resolves({ TargetHealthDescriptions: [{ TargetHealth: { State: 'unhealthy', ...health } }] });
    expect(await failure()).toEqual(expected);
  });

  it('for no reason that is known yet', async () => {
    lying({ tags: sized });
    ended();
    elb
      .on(DescribeTargetHealthCommand)
      .resolves({ TargetHealthDescriptions: [{ TargetHealth: { State: 'initial' } }] });
    expect(await failure()).toBeUndefined();
  });
});

describe('an agent', () => {
  it('answers under its name in its tenant', () => {
    const address = 'https://agents.example.com/d/0190-tenant/app';
    expect(compute().address()).toBe(address);
  });
});

describe('a driver', () => {
  it('is woken by a call that Lambda keeps, with ids alone', async () => {
    const lambda = mockClient(LambdaClient);
    await createDriver('slipway-dev-drive').wake(place);
    const { Payload, ...input } = lambda.commandCalls(InvokeCommand)[0]?.args[0].input ?? {};
    expect(input).toEqual({ FunctionName: 'slipway-dev-drive', InvocationType: 'Event' });
    expect(JSON.parse(String(Payload))).toEqual(place);
    lambda.restore();
  });
});
