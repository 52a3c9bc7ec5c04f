import { AccountLimitExceededException, CodeBuildClient, StartBuildCommand } from '@aws-sdk/client-codebuild';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { DeploymentRef } from '../../contract/refs.ts';
import { artifactKeyOf } from '../../domain/file-places.ts';
import { type BuildJob, type Builds, BuildsAtCapacity, buildVariables } from '../builds.ts';
import { s3Config } from './blobs.ts';
import { createBuildControl } from './build-control.ts';
import { type BuildMachine, JOB_SECONDS, machineFor } from './build-machines.ts';
import { openPushSession, type PushSession } from './registry.ts';

type CodeBuildOptions = {
  projectName: string;
  /** Where tarballs and artifacts lie. */
  bucketName: string;
  /** Where job descriptions lie, without versions: one that is deleted is gone. */
  jobsBucketName: string;
  /** The log group of all builds; each build has a stream there that is named after its revision. */
  logGroupName: string;
  /** Without one there are no images: such a build says so. */
  registryHost: string | undefined;
  /** The role whose sessions push images; needed by who starts builds. */
  pushRoleArn: string | undefined;
};

/**
 * Builds in CodeBuild. What a build has to do is an object in the bucket; its environment, which is part of
 * events, carries ids only, and what it is for. Secrets are in neither.
 */
export function createCodeBuild(options: CodeBuildOptions): Builds {
  const client = new CodeBuildClient({});
  const s3 = new S3Client(s3Config);
  const { bucketName, jobsBucketName } = options;
  const place = { bucketName, jobsBucketName, expiresSeconds: JOB_SECONDS };
  return {
    ...createBuildControl(options.registryHost),
    async start(asked) {
      const { machine, platforms } = machineFor(asked);
      const job = { ...asked, platforms };
      await storeJob(s3, place, job, await pushSession(options, job));
      const command = startCommand(options, job, machine);
      const { build } = await client.send(command).catch((error: unknown) => {
        if (error instanceof AccountLimitExceededException) throw new BuildsAtCapacity(error.message);
        throw error;
      });
      if (build?.id === undefined) throw new Error('CodeBuild started a build without an id');
      return { buildId: build.id };
    },
  };
}

async function pushSession(
  { registryHost, pushRoleArn }: CodeBuildOptions,
  job: BuildJob,
): Promise<PushSession | undefined> {
  if (job.output !== 'image' || registryHost === undefined || pushRoleArn === undefined) return undefined;
  return openPushSession({ registryHost, pushRoleArn }, job);
}

/**
 * A repeated start with the same token must be the same in every parameter, so nothing here depends on the
 * time.
 */
function startCommand(
  { projectName, logGroupName }: CodeBuildOptions,
  { tenantId, deploymentId, revisionId, buildName, platforms }: BuildJob,
  { type, image }: BuildMachine,
): StartBuildCommand {
  const environment = {
    [buildVariables.tenantId]: tenantId,
    [buildVariables.deploymentId]: deploymentId,
    [buildVariables.revisionId]: revisionId,
    [buildVariables.buildName]: buildName,
    [buildVariables.platforms]: platforms.join(','),
  };
  return new StartBuildCommand({
    projectName,
    idempotencyToken: buildName,
    environmentTypeOverride: type,
    imageOverride: image,
    environmentVariablesOverride: Object.entries(environment).map(([name, value]) => ({
      name,
      value,
      type: 'PLAINTEXT',
    })),
    logsConfigOverride: {
      cloudWatchLogs: {
        status: 'ENABLED',
        groupName: logGroupName,
        // CodeBuild appends an id of its own.
        streamName: `${tenantId}/${deploymentId}/${revisionId}`,
      },
    },
  });
}

/** The object that tells a build what to do; its key follows from the ids in the build's environment. */
export const jobKeyOf = ({
  tenantId,
  deploymentId,
  buildName,
}: DeploymentRef & Pick<BuildJob, 'buildName'>): string =>
  `builds/${tenantId}/${deploymentId}/${buildName}.json`;

type JobPlace = {
  bucketName: string;
  jobsBucketName: string;
  /** So long the addresses in the job are good. */
  expiresSeconds: number;
};

/**
 * Stores what a build has to do. The builder reads the object and deletes it before anything else; one that
 * no build ever reads goes with the lifecycle of its bucket, a day later, long after what it holds has
 * expired.
 */
async function storeJob(
  s3: S3Client,
  { bucketName, jobsBucketName, expiresSeconds }: JobPlace,
  job: BuildJob,
  push: PushSession | undefined,
): Promise<void> {
  // What must not be shown is replaced where lines are taken in, so the build itself never knows those
  // values.
  const { maskValues: _, source, ...rest } = job;
  const sign = (command: GetObjectCommand | PutObjectCommand): Promise<string> =>
    getSignedUrl(s3, command, { expiresIn: expiresSeconds });
  const artifact = { Bucket: bucketName, Key: artifactKeyOf(job) };
  const description = {
    ...rest,
    source: source.kind === 'git' ? source : { ...source, url: await sign(getTarball(bucketName, source)) },
    ...(job.output === 'folder' && {
      artifactKey: artifact.Key,
      artifactUploadUrl: await sign(new PutObjectCommand(artifact)),
    }),
    ...(push !== undefined && { push }),
  };
  await s3.send(
    new PutObjectCommand({
      Bucket: jobsBucketName,
      Key: jobKeyOf(job),
      ContentType: 'application/json',
      ServerSideEncryption: 'AES256',
      Body: JSON.stringify(description),
    }),
  );
}

const getTarball = (bucketName: string, { key }: { key: string }) =>
  new GetObjectCommand({ Bucket: bucketName, Key: key });
