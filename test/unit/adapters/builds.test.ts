import {
  AccountLimitExceededException,
  BatchGetBuildsCommand,
  type Build,
  ResourceNotFoundException,
  StartBuildCommand,
  StopBuildCommand,
} from '@aws-sdk/client-codebuild';
import { DescribeImagesCommand, ImageNotFoundException } from '@aws-sdk/client-ecr';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, it } from 'vitest';
import { createCodeBuild, jobKeyOf } from '../../../lib/adapters/aws/builds.ts';
import { BuildsAtCapacity } from '../../../lib/adapters/builds.ts';
import { parseJob } from '../../../lib/builds/codebuild/job.ts';
import { aBuildJob, builderOptions, mockedBuilds } from '../../support/aws/mocked-builds.ts';

const { codeBuild, s3, ecr } = mockedBuilds();
const SHA = 'a'.repeat(64);

const job = aBuildJob({ buildCommand: 'make', maskValues: ['very-secret-value'] });
const adapter = () => createCodeBuild(builderOptions);

const variables = [
  { name: 'SLIPWAY_TENANT_ID', value: 't1', type: 'PLAINTEXT' as const },
  { name: 'SLIPWAY_DEPLOYMENT_ID', value: 'd1', type: 'PLAINTEXT' as const },
  { name: 'SLIPWAY_REVISION_ID', value: 'r1', type: 'PLAINTEXT' as const },
  { name: 'SLIPWAY_BUILD_NAME', value: 'r1', type: 'PLAINTEXT' as const },
  { name: 'SLIPWAY_PLATFORMS', value: 'linux/amd64', type: 'PLAINTEXT' as const },
];

const exported = (values: Record<string, string>) =>
  Object.entries(values).map(([name, value]) => ({ name, value }));

const stateOf = (build: Build, given: Parameters<typeof createCodeBuild>[0] = builderOptions) => {
  const environment = { environmentVariables: variables, type: undefined, image: '', computeType: undefined };
  codeBuild.on(BatchGetBuildsCommand).resolves({ builds: [{ environment, ...build }] });
  return createCodeBuild(given).state('p:1');
};

const folder = {
  ARTIFACT_KEY: 'artifacts/t1/d1/r1.tar',
  ARTIFACT_SHA256: SHA,
  ARTIFACT_SIZE_BYTES: '12',
  COMMIT_SHA: 'c'.repeat(40),
};

beforeEach(() => {
  ecr.on(DescribeImagesCommand).resolves({ imageDetails: [{ imageDigest: `sha256:${SHA}` }] });
});

describe('starting a build', () => {
  it('gives CodeBuild ids only, and the job to the bucket without secrets', async () => {
    codeBuild.on(StartBuildCommand).resolves({ build: { id: 'p:1' } });
    expect(await adapter().start(job)).toEqual({ buildId: 'p:1' });
    expect(codeBuild.commandCalls(StartBuildCommand)[0]?.args[0].input).toEqual({
      projectName: 'p',
      idempotencyToken: 'r1',
      environmentTypeOverride: 'LINUX_CONTAINER',
      imageOverride: expect.stringContaining('x86_64'),
      environmentVariablesOverride: variables,
      logsConfigOverride: {
        cloudWatchLogs: { status: 'ENABLED', groupName: 'builds', streamName: 't1/d1/r1' },
      },
    });
    const put = s3.commandCalls(PutObjectCommand)[0]?.args[0].input;
    expect([put?.Bucket, put?.Key, put?.ServerSideEncryption]).toEqual(['jobs', jobKeyOf(job), 'AES256']);
    expect(String(put?.Body)).not.toContain('very-secret-value');
    // As the builder reads it.
    expect(parseJob(String(put?.Body))).toMatchObject({
      source: job.source,
      buildCommand: 'make',
      artifactKey: folder.ARTIFACT_KEY,
      artifactUploadUrl: expect.stringContaining('artifacts/t1/d1/r1.tar?'),
    });
  });

  it('gives a build that follows a lost one places of its own', async () => {
    codeBuild.on(StartBuildCommand).resolves({ build: { id: 'p:2' } });
    await adapter().start({ ...job, buildName: 'r1-2' });
    const sent = codeBuild.commandCalls(StartBuildCommand)[0]?.args[0].input;
    expect(sent?.idempotencyToken).toBe('r1-2');
    expect(sent?.environmentVariablesOverride).toContainEqual(
      expect.objectContaining({ name: 'SLIPWAY_BUILD_NAME', value: 'r1-2' }),
    );
    const put = s3.commandCalls(PutObjectCommand)[0]?.args[0].input;
    expect(put?.Key).toBe('builds/t1/d1/r1-2.json');
    expect(JSON.parse(String(put?.Body))).toMatchObject({ artifactKey: 'artifacts/t1/d1/r1-2.tar' });
  });

  it('gives a tarball by a signed address', async () => {
    codeBuild.on(StartBuildCommand).resolves({ build: { id: 'p:1' } });
    const source = { kind: 'tarball', key: 'pinned/x.tgz', sha256: SHA } as const;
    await createCodeBuild({ ...builderOptions, pushRoleArn: undefined }).start({
      ...job,
      source,
      output: 'image',
    });
    const described = parseJob(String(s3.commandCalls(PutObjectCommand)[0]?.args[0].input.Body));
    if (described.source.kind !== 'tarball') throw new Error('this is no tarball');
    expect(new URL(described.source.url).pathname).toMatch(/\/pinned\/x\.tgz$/);
    expect(described).not.toHaveProperty('artifactUploadUrl');
    expect(described).not.toHaveProperty('push');
  });

  it('starts the same build for the same token, whatever the time and its credentials', async () => {
    codeBuild.on(StartBuildCommand).resolves({ build: { id: 'p:1' } });
    await adapter().start(job);
    await adapter().start(job);
    const [first, second] = codeBuild.commandCalls(StartBuildCommand).map(({ args }) => args[0].input);
    expect(second).toEqual(first);
  });

  it('says that no more builds can run, and throws anything else as it came', async () => {
    const full = new AccountLimitExceededException({ message: 'too many', $metadata: {} });
    codeBuild.on(StartBuildCommand).rejectsOnce(full).rejects(new Error('down'));
    await expect(adapter().start(job)).rejects.toThrow(BuildsAtCapacity);
    await expect(adapter().start(job)).rejects.toThrow('down');
  });
});

describe('the state of a build', () => {
  it.each([
    ['SUBMITTED', 'waiting'],
    ['QUEUED', 'waiting'],
    ['PROVISIONING', 'running'],
    ['BUILD', 'running'],
  ] as const)('in phase %s is %s', async (currentPhase, state) => {
    expect(await stateOf({ buildStatus: 'IN_PROGRESS', currentPhase })).toEqual({ state });
  });

  it('names the folder or image it made', async () => {
    const made = { buildStatus: 'SUCCEEDED', exportedEnvironmentVariables: exported(folder) } as const;
    expect(await stateOf(made)).toEqual({
      state: 'succeeded',
      artifact: {
        kind: 'folder',
        key: folder.ARTIFACT_KEY,
        sha256: SHA,
        sizeBytes: 12,
        platforms: ['linux/amd64'],
      },
      commitSha: folder.COMMIT_SHA,
    });
    const image = exported({ ARTIFACT_DIGEST: `sha256:${SHA}` });
    expect(await stateOf({ ...made, exportedEnvironmentVariables: image })).toEqual({
      state: 'succeeded',
      artifact: {
        kind: 'image',
        uri: `registry.example/slipway/t1/d1@sha256:${SHA}`,
        platforms: ['linux/amd64'],
      },
      commitSha: undefined,
    });
  });

  it.each([
    ['langgraph', { server: 'langgraph' }],
    ['other', { server: 'other' }],
    // Of an earlier release, or not the builder's own word.
    [undefined, {}],
    ['', {}],
    ['database', {}],
  ])('tells what it runs: %s', async (said, expected) => {
    const values = { ...folder, ...(said !== undefined && { ARTIFACT_SERVER: said }) };
    const state = await stateOf({ buildStatus: 'SUCCEEDED', exportedEnvironmentVariables: exported(values) });
    expect(state).toMatchObject({ state: 'succeeded' });
    const { platforms: _, ...artifact } = 'artifact' in state ? state.artifact : {};
    expect(artifact).toEqual({
      kind: 'folder',
      key: folder.ARTIFACT_KEY,
      sha256: SHA,
      sizeBytes: 12,
      ...expected,
    });
  });

  it('tells that a folder was built for the durable server', async () => {
    const values = exported({ ...folder, ARTIFACT_DURABLE: 'true' });
    const state = await stateOf({ buildStatus: 'SUCCEEDED', exportedEnvironmentVariables: values });
    expect(state).toMatchObject({ state: 'succeeded', artifact: { kind: 'folder', durable: true } });
  });

  it.each([
    ['nothing', {}],
    ["another revision's folder", { ...folder, ARTIFACT_KEY: 'artifacts/t2/d1/r1.tar' }],
    ['a malformed size', { ...folder, ARTIFACT_SIZE_BYTES: '-1' }],
    ['a digest that leads elsewhere', { ARTIFACT_DIGEST: 'sha256:x@evil/other' }],
  ])('is failed when it reports %s', async (_, values) => {
    const state = await stateOf({ buildStatus: 'SUCCEEDED', exportedEnvironmentVariables: exported(values) });
    expect(state).toEqual({ state: 'failed', message: expect.stringContaining('no artifact') });
  });

  it('is failed when the registry does not have the image, and unknown when the registry does not answer', async () => {
    const image = exported({ ARTIFACT_DIGEST: `sha256:${SHA}` });
    const build = { buildStatus: 'SUCCEEDED', exportedEnvironmentVariables: image } as const;
    ecr
      .on(DescribeImagesCommand)
      .rejectsOnce(new ImageNotFoundException({ message: 'no', $metadata: {} }))
      .resolvesOnce({ imageDetails: [] })
      .rejects(new Error('down'));
    const failed = { state: 'failed', message: expect.stringContaining('not in the registry') };
    expect(await stateOf(build)).toEqual(failed);
    expect(await stateOf(build)).toEqual(failed);
    await expect(stateOf(build)).rejects.toThrow('down');
    expect(ecr.commandCalls(DescribeImagesCommand)[0]?.args[0].input).toEqual({
      repositoryName: 'slipway/t1/d1',
      imageIds: [{ imageDigest: `sha256:${SHA}` }],
    });
  });

  it('is failed with the reason that the builder gives, whatever else it reports', async () => {
    const reported = exported({ ...folder, FAILURE_REASON: "Ref 'x' cannot be resolved to a commit" });
    const state = await stateOf({ buildStatus: 'SUCCEEDED', exportedEnvironmentVariables: reported });
    expect(state).toEqual({ state: 'failed', message: "Ref 'x' cannot be resolved to a commit" });
  });

  it('believes no image where there is no registry', async () => {
    const image = exported({ ARTIFACT_DIGEST: `sha256:${SHA}` });
    const build = { buildStatus: 'SUCCEEDED', exportedEnvironmentVariables: image } as const;
    expect(await stateOf(build, { ...builderOptions, registryHost: undefined })).toMatchObject({
      state: 'failed',
    });
  });

  it('is lost where CodeBuild itself failed', async () => {
    expect(await stateOf({ buildStatus: 'FAULT' })).toEqual({ state: 'lost' });
  });

  it('was never started where it left the queue without a machine', async () => {
    const phases: Build['phases'] = [
      { phaseType: 'SUBMITTED', phaseStatus: 'SUCCEEDED' },
      { phaseType: 'QUEUED', phaseStatus: 'TIMED_OUT', contexts: [{ message: 'in the queue for too long' }] },
      { phaseType: 'COMPLETED' },
    ];
    expect(await stateOf({ buildStatus: 'TIMED_OUT', phases })).toEqual({ state: 'unstarted' });
    const taken: Build['phases'] = [...phases, { phaseType: 'PROVISIONING', phaseStatus: 'TIMED_OUT' }];
    expect(await stateOf({ buildStatus: 'TIMED_OUT', phases: taken })).toMatchObject({ state: 'failed' });
  });

  it.each(['FAILED', 'TIMED_OUT'] as const)('says why it is %s', async (buildStatus) => {
    const phases: Build['phases'] = [
      { phaseType: 'INSTALL', phaseStatus: 'SUCCEEDED', contexts: [{ message: 'fine' }] },
      { phaseType: 'BUILD', phaseStatus: buildStatus, contexts: [{ message: 'make: no rule' }] },
    ];
    expect(await stateOf({ buildStatus, phases })).toEqual({
      state: 'failed',
      message: 'BUILD: make: no rule',
    });
    const bare = await stateOf({ buildStatus });
    expect(bare).toEqual({ state: 'failed', message: expect.stringMatching(/^The build /) });
  });

  it('knows a stopped build and one that is not known', async () => {
    expect(await stateOf({ buildStatus: 'STOPPED' })).toEqual({ state: 'stopped' });
    codeBuild.on(BatchGetBuildsCommand).resolves({ builds: [], buildsNotFound: ['p:1'] });
    expect(await adapter().state('p:1')).toEqual({ state: 'absent' });
  });
});

describe('stopping a build', () => {
  it('is harmless for one that is not known', async () => {
    codeBuild
      .on(StopBuildCommand)
      .resolvesOnce({})
      .rejectsOnce(new ResourceNotFoundException({ message: 'no', $metadata: {} }))
      .rejects(new Error('down'));
    await adapter().stop('p:1');
    await adapter().stop('p:1');
    await expect(adapter().stop('p:1')).rejects.toThrow('down');
  });
});
