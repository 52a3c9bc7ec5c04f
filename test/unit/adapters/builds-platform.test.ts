import { StartBuildCommand } from '@aws-sdk/client-codebuild';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { createCodeBuild } from '../../../lib/adapters/aws/builds.ts';
import type { BuildJob } from '../../../lib/adapters/builds.ts';
import { parseJob } from '../../../lib/builds/codebuild/job.ts';
import { aBuildJob, builderOptions, mockedBuilds } from '../../support/aws/mocked-builds.ts';

const { codeBuild, s3 } = mockedBuilds();

const job = aBuildJob({ platforms: [] });
const adapter = () => createCodeBuild({ ...builderOptions, registryHost: undefined, pushRoleArn: undefined });

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
