import { AccountLimitExceededException, CodeBuildClient, StartBuildCommand } from '@aws-sdk/client-codebuild';
import { S3Client } from '@aws-sdk/client-s3';
import { type BuildJob, type Builds, BuildsAtCapacity, buildVariables } from '../builds.ts';
import { s3Config } from './blobs.ts';
import { createBuildControl } from './build-control.ts';
import { storeJob } from './build-job.ts';
import { type BuildMachine, JOB_SECONDS, machineFor } from './build-machines.ts';
import { openPushSession, type PushSession } from './registry.ts';

export type CodeBuildOptions = {
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
