import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type * as containerModule from '../../../lib/container.ts';
import { installationDefaults, limitDefaults } from '../../../lib/settings/defaults.ts';
import {
  BUILD_SECONDS,
  REGISTRY_HOST,
  SILENT_SECONDS,
  STATE_MACHINE_ARN,
} from '../../../lib/settings/functions.ts';
import { type FreshModules, freshModules } from '../../support/aws/fresh-modules.ts';

const complete = {
  AWS_REGION: 'eu-west-1',
  TABLE_NAME: 'table',
  STATE_MACHINE_ARN: 'arn:aws:states:eu-west-1:123456789012:stateMachine:revision',
  KEY_ID: 'key',
  BUCKET_NAME: 'bucket',
  JOBS_BUCKET_NAME: 'jobs',
  BUILD_PROJECT_NAME: 'project',
  BUILD_LOG_GROUP_NAME: 'builds',
};

let fresh: FreshModules;
beforeEach(() => {
  fresh = freshModules();
});
afterEach(() => {
  vi.unstubAllEnvs();
  fresh.close();
});

async function freshContainer(environment: Record<string, string>) {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return fresh.load<typeof containerModule>('lib/container.ts');
}

describe('the container', () => {
  it('makes every part from the environment, once', async () => {
    const container = await freshContainer(complete);
    const { table, keys, blobs, logs, git, builds, workflow, settings } = container;
    for (const part of [table, keys, blobs, logs, git, builds, workflow, settings]) {
      expect(part()).toBe(part());
    }
    expect(container.engineDeps()).toMatchObject({ table: table(), workflow: workflow() });
    expect(settings()).toEqual({
      allowFileRepositories: false,
      registryHost: undefined,
      ...installationDefaults,
      limits: limitDefaults,
      buildsAtOnce: 5,
      addresses: { allowedHosts: [], loopback: false },
      defaultRuntime: 'auto',
    });
  });

  it('wakes no driver where the infrastructure has made none', async () => {
    expect((await freshContainer(complete)).engineDeps()).not.toHaveProperty('computeDriver');
  });

  it('wakes the driver, which drives with what the infrastructure has made', async () => {
    const container = await freshContainer({
      ...complete,
      DRIVE_FUNCTION_NAME: 'slipway-test-drive',
      AGENTS_CLUSTER: 'agents',
      AGENTS_VPC_ID: 'vpc-1',
      AGENTS_SUBNETS: 'subnet-1,subnet-2',
      AGENTS_SECURITY_GROUPS: 'sg-1',
      AGENTS_PUBLIC_IP: 'true',
      AGENTS_LISTENER_ARN: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener/app/agents/1/2',
      AGENTS_EXECUTION_ROLE_ARN: 'arn:aws:iam::123456789012:role/start',
      AGENTS_LOG_GROUP_NAME: 'agents',
      AGENTS_SECRET_PREFIX: 'slipway/test/agents',
      AGENTS_URL: 'https://front.example',
    });
    expect(container.engineDeps()).toHaveProperty('computeDriver');
    expect(container.compute()({ tenantId: 't', deploymentId: 'd', name: 'app' }).address()).toBe(
      'https://front.example/d/t/app',
    );
  });

  it.each([
    ['table', 'TABLE_NAME'],
    ['keys', 'KEY_ID'],
    ['blobs', 'BUCKET_NAME'],
    ['workflow', 'STATE_MACHINE_ARN'],
    ['builds', 'BUILD_PROJECT_NAME'],
  ] as const)('makes no %s without %s, and names the variable', async (part, name) => {
    const container = await freshContainer({ ...complete, [name]: '' });
    expect(() => container[part]()).toThrow(name);
  });
});

describe('an environment variable', () => {
  it('has the value of its schema', () => {
    expect(BUILD_SECONDS({ BUILD_SECONDS: '60' })).toBe(60);
    expect(SILENT_SECONDS({})).toBe(900);
    expect(REGISTRY_HOST({ REGISTRY_HOST: '' })).toBeUndefined();
  });

  it('is named when it is malformed, without its value', () => {
    expect(() => BUILD_SECONDS({ BUILD_SECONDS: 'ten' })).toThrow(
      new Error('The environment variable BUILD_SECONDS is missing or malformed'),
    );
    expect(() => STATE_MACHINE_ARN({ STATE_MACHINE_ARN: 'arn:x' })).toThrow('STATE_MACHINE_ARN');
  });
});
