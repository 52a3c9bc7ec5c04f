import { CodeBuildClient, StartBuildCommand } from '@aws-sdk/client-codebuild';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCodeBuild } from '../../../lib/adapters/aws/builds.ts';
import type { BuildJob } from '../../../lib/adapters/builds.ts';
import { parseJob } from '../../../lib/builds/codebuild/job.ts';

const codeBuild = mockClient(CodeBuildClient);
const s3 = mockClient(S3Client);

const job: BuildJob = {
  tenantId: 't1',
  deploymentId: 'd1',
  revisionId: 'r1',
  buildName: 'r1',
  source: { kind: 'git', repoUrl: 'https://example.com/a.git', ref: 'main', commitSha: 'c'.repeat(40) },
  configPath: 'langgraph.json',
  installCommand: undefined,
  buildCommand: undefined,
  output: 'folder',
  platforms: [],
  remark: undefined,
  maskValues: [],
};

const adapter = () =>
  createCodeBuild({
    projectName: 'p',
    bucketName: 'b',
    jobsBucketName: 'jobs',
    logGroupName: 'builds',
    registryHost: undefined,
    pushRoleArn: undefined,
  });

beforeAll(() => {
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterAll(() => vi.unstubAllEnvs());
beforeEach(() => {
  for (const mock of [codeBuild, s3]) mock.reset();
  s3.on(PutObjectCommand).resolves({});
});

describe('the machine of a build', () => {
  it.each<[string, Pick<BuildJob, 'output' | 'platforms'>, string, string, string[]]>([
    [
      'a folder',
      { output: 'folder', platforms: ['linux/arm64'] },
      'ARM_CONTAINER',
      'aarch64',
      ['linux/arm64'],
    ],
    ['a folder', { output: 'folder', platforms: [] }, 'LINUX_CONTAINER', 'x86_64', ['linux/amd64']],
    [
      'an image',
      { output: 'image', platforms: ['linux/arm64'] },
      'ARM_CONTAINER',
      'aarch64',
      ['linux/arm64'],
    ],
    ['an image', { output: 'image', platforms: [] }, 'LINUX_CONTAINER', 'x86_64', ['linux/amd64']],
    [
      'an image',
      { output: 'image', platforms: ['linux/arm64', 'linux/amd64'] },
      'LINUX_CONTAINER',
      'x86_64',
      ['linux/arm64', 'linux/amd64'],
    ],
  ])('builds %s of %j on a machine of that kind', async (_, wanted, type, image, platforms) => {
    codeBuild.on(StartBuildCommand).resolves({ build: { id: 'p:1' } });
    await adapter().start({ ...job, ...wanted });
    const input = codeBuild.commandCalls(StartBuildCommand)[0]?.args[0].input;
    expect(input).toMatchObject({
      environmentTypeOverride: type,
      imageOverride: expect.stringContaining(image),
    });
    expect(input?.environmentVariablesOverride).toContainEqual(
      expect.objectContaining({ name: 'SLIPWAY_PLATFORMS', value: platforms.join(',') }),
    );
    expect(parseJob(String(s3.commandCalls(PutObjectCommand)[0]?.args[0].input.Body))).toMatchObject({
      platforms,
    });
  });

  it.each<Pick<BuildJob, 'output' | 'platforms'>>([
    { output: 'folder', platforms: ['darwin/arm64'] },
    { output: 'folder', platforms: ['linux/arm/v7'] },
    { output: 'image', platforms: ['windows/amd64'] },
  ])('starts nothing that it cannot build: %j', async (wanted) => {
    await expect(adapter().start({ ...job, ...wanted })).rejects.toMatchObject({
      name: 'CannotBuildFor',
      able: ['linux/amd64', 'linux/arm64'],
    });
    expect([...codeBuild.calls(), ...s3.calls()]).toEqual([]);
  });
});
