import { CodeBuildClient } from '@aws-sdk/client-codebuild';
import { ECRClient } from '@aws-sdk/client-ecr';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { STSClient } from '@aws-sdk/client-sts';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, beforeEach, vi } from 'vitest';
import type { BuildJob } from '../../../lib/adapters/builds.ts';

/** A build of a repository, as the engine asks for it. */
export const aBuildJob = (more: Partial<BuildJob> = {}): BuildJob => ({
  tenantId: 't1',
  deploymentId: 'd1',
  revisionId: 'r1',
  buildName: 'r1',
  source: { kind: 'git', repoUrl: 'https://example.com/a.git', ref: 'main', commitSha: 'c'.repeat(40) },
  rootDirectory: undefined,
  configPath: 'langgraph.json',
  installCommand: undefined,
  buildCommand: undefined,
  startCommand: undefined,
  dockerfilePath: undefined,
  dockerTarget: undefined,
  buildEnv: [],
  buildSecrets: [],
  output: 'folder',
  platforms: ['linux/amd64'],
  remark: undefined,
  maskValues: [],
  ...more,
});

/** An installation that makes folders and images. */
export const builderOptions = {
  projectName: 'p',
  bucketName: 'b',
  jobsBucketName: 'jobs',
  logGroupName: 'builds',
  registryHost: 'registry.example',
  pushRoleArn: 'arn:aws:iam::123456789012:role/push',
};

/**
 * The clients that builds are started with, mocked, for the file that calls this; jobs can be put into their
 * bucket.
 */
export function mockedBuilds() {
  const mocks = {
    codeBuild: mockClient(CodeBuildClient),
    s3: mockClient(S3Client),
    ecr: mockClient(ECRClient),
    sts: mockClient(STSClient),
  };
  beforeAll(() => {
    vi.stubEnv('AWS_REGION', 'eu-west-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  });
  afterAll(() => vi.unstubAllEnvs());
  beforeEach(() => {
    for (const mock of Object.values(mocks)) mock.reset();
    mocks.s3.on(PutObjectCommand).resolves({});
  });
  return mocks;
}
