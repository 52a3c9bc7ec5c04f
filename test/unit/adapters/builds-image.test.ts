import { StartBuildCommand } from '@aws-sdk/client-codebuild';
import {
  CreateRepositoryCommand,
  PutLifecyclePolicyCommand,
  RepositoryAlreadyExistsException,
} from '@aws-sdk/client-ecr';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { AssumeRoleCommand } from '@aws-sdk/client-sts';
import { beforeEach, describe, expect, it } from 'vitest';
import { createCodeBuild } from '../../../lib/adapters/aws/builds.ts';
import { aBuildJob, builderOptions, mockedBuilds } from '../../support/aws/mocked-builds.ts';

const { codeBuild, s3, ecr, sts } = mockedBuilds();

const job = aBuildJob({ output: 'image' });
const adapter = () => createCodeBuild(builderOptions);

describe('starting the build of an image', () => {
  const Credentials = {
    AccessKeyId: 'id',
    SecretAccessKey: 'secret',
    SessionToken: 'session',
    Expiration: new Date(0),
  };
  beforeEach(() => {
    codeBuild.on(StartBuildCommand).resolves({ build: { id: 'p:1' } });
    ecr.on(PutLifecyclePolicyCommand).resolves({});
    ecr.on(CreateRepositoryCommand).resolves({});
    sts.on(AssumeRoleCommand).resolves({ Credentials });
  });

  it('makes the repository of the deployment, and keeps what may still be run', async () => {
    await adapter().start(job);
    expect(ecr.commandCalls(CreateRepositoryCommand)[0]?.args[0].input).toEqual({
      repositoryName: 'slipway/t1/d1',
      imageTagMutability: 'MUTABLE',
      imageScanningConfiguration: { scanOnPush: true },
    });
    const policy = ecr.commandCalls(PutLifecyclePolicyCommand)[0]?.args[0].input;
    const { rules } = JSON.parse(policy?.lifecyclePolicyText ?? '');
    expect(rules.map((rule: { selection: object }) => rule.selection)).toEqual([
      { tagStatus: 'tagged', tagPatternList: ['active'], countType: 'imageCountMoreThan', countNumber: 1 },
      { tagStatus: 'tagged', tagPatternList: ['*'], countType: 'imageCountMoreThan', countNumber: 10 },
      { tagStatus: 'untagged', countType: 'imageCountMoreThan', countNumber: 10 },
    ]);
  });

  it('is the same when the repository is there already, and throws anything else as it came', async () => {
    const exists = new RepositoryAlreadyExistsException({ message: 'there', $metadata: {} });
    ecr.on(CreateRepositoryCommand).rejectsOnce(exists).rejects(new Error('down'));
    await adapter().start(job);
    expect(ecr.commandCalls(PutLifecyclePolicyCommand)).toHaveLength(1);
    await expect(adapter().start(job)).rejects.toThrow('down');
  });

  it('gives the build a session of an hour that can push to that repository and to nothing else', async () => {
    await adapter().start(job);
    const asked = sts.commandCalls(AssumeRoleCommand)[0]?.args[0].input;
    expect(asked).toMatchObject({
      RoleArn: builderOptions.pushRoleArn,
      RoleSessionName: 'push-d1',
      DurationSeconds: 3600,
    });
    const { Statement } = JSON.parse(asked?.Policy ?? '');
    expect(Statement.map((one: { Resource: string }) => one.Resource)).toEqual([
      '*',
      'arn:aws:ecr:eu-west-1:123456789012:repository/slipway/t1/d1',
    ]);
    expect(Statement[0].Action).toBe('ecr:GetAuthorizationToken');
    expect(Statement[1].Action).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/Delete|Create|\*/)]),
    );
    const described = JSON.parse(String(s3.commandCalls(PutObjectCommand)[0]?.args[0].input.Body));
    expect(described.platforms).toEqual(['linux/amd64']);
    expect(described.push).toEqual({
      repository: 'registry.example/slipway/t1/d1',
      region: 'eu-west-1',
      accessKeyId: 'id',
      secretAccessKey: 'secret',
      sessionToken: 'session',
    });
    expect(JSON.stringify(codeBuild.commandCalls(StartBuildCommand)[0]?.args[0].input)).not.toContain(
      'session',
    );
  });
});
