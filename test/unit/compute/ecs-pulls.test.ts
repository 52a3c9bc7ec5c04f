import type { Task } from '@aws-sdk/client-ecs';
import { DescribeTargetHealthCommand } from '@aws-sdk/client-elastic-load-balancing-v2';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AgentFailure } from '../../../lib/domain/agent-failure.ts';
import {
  compute,
  elb,
  ended,
  IMAGE,
  KEY,
  lying,
  resetAccount,
  sized,
  unfetched,
} from '../../support/aws/ecs-account.ts';

beforeEach(resetAccount);

describe('servers cannot be started', () => {
  const failure = () => compute().failureOf(KEY);

  const fetching: [said: string, expected: AgentFailure][] = [
    [
      'CannotPullContainerError: failed to resolve ref registry/app:1: registry/app:1: not found',
      { kind: 'image_missing', image: IMAGE },
    ],
    [
      'CannotPullContainerError: manifest unknown: Requested image not found',
      { kind: 'image_missing', image: IMAGE },
    ],
    [
      "CannotPullContainerError: image Manifest does not contain descriptor matching platform 'linux/amd64'",
      { kind: 'image_platform', image: IMAGE, found: 'another platform', wanted: 'linux/amd64' },
    ],
    [
      'CannotPullContainerError: pull access denied for registry/app, repository does not exist or may require authorization',
      { kind: 'registry_access', image: IMAGE, pullSecrets: undefined },
    ],
    [
      'CannotPullContainerError: dial tcp 1.2.3.4:443: i/o timeout',
      { kind: 'no_way_out', subnet: 'subnet-1, subnet-2' },
    ],
    [
      'ResourceInitializationError: unable to pull secrets or registry auth: context deadline exceeded',
      { kind: 'no_way_out', subnet: 'subnet-1, subnet-2' },
    ],
  ];

  it.each(fetching)('because of %s', async (said, expected) => {
    lying({ tags: sized });
    ended(unfetched(said), unfetched(said));
    expect(await failure()).toEqual(expected);
  });

  it('of a registry that did not answer once, for which nothing is known yet', async () => {
    lying({ tags: sized });
    elb.on(DescribeTargetHealthCommand).resolves({ TargetHealthDescriptions: [] });
    ended(unfetched('CannotPullContainerError: dial tcp 1.2.3.4:443: i/o timeout'));
    expect(await failure()).toBeUndefined();
  });

  const LIMIT = 'CannotPullContainerError: toomanyrequests: You have reached your pull rate limit';
  const pulling = (said: string, image: string): Partial<Task> => ({
    ...unfetched(said),
    containers: [{ name: 'agent', image }],
  });

  it('because a registry hands out no more for now, whose account may be named', async () => {
    lying({ tags: sized });
    ended(pulling(LIMIT, 'python:3.13'));
    const limit = { kind: 'pull_limit', said: LIMIT, pullSecrets: undefined };
    expect(await failure()).toEqual({ ...limit, image: 'python:3.13' });
    const own = compute({ dockerHubSecret: 'hub' });
    expect(await own.failureOf(KEY)).toEqual({
      ...limit,
      image: 'python:3.13',
      setting: 'dockerHubSecret',
    });
    ended(pulling(LIMIT, 'public.ecr.aws/app'));
    expect(await own.failureOf(KEY)).toEqual({ ...limit, image: 'public.ecr.aws/app' });
  });

  it('because the account at Docker Hub is refused', async () => {
    lying({ tags: sized });
    ended(pulling('CannotPullContainerError: unauthorized: incorrect username or password', 'me/app'));
    const own = compute({ dockerHubSecret: 'hub' });
    expect(await own.failureOf(KEY)).toMatchObject({
      kind: 'registry_access',
      setting: 'dockerHubSecret',
    });
  });

  it('because their secrets cannot be read, twice in a row', async () => {
    lying({ tags: sized });
    elb.on(DescribeTargetHealthCommand).resolves({ TargetHealthDescriptions: [] });
    const said =
      'ResourceInitializationError: unable to pull secrets or registry auth: execution resource retrieval failed: unable to retrieve secret from asm: retrieved secret from Secrets Manager did not contain json key LICENCE';
    ended(unfetched(said));
    expect(await failure()).toBeUndefined();
    ended(unfetched(said), unfetched(said));
    expect(await failure()).toEqual({ kind: 'secrets_unreadable', said });
  });
});
