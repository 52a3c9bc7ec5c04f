import {
  AccountLimitExceededException,
  BatchGetBuildsCommand,
  CodeBuildClient,
  ResourceNotFoundException,
  StartBuildCommand,
  StopBuildCommand,
} from '@aws-sdk/client-codebuild';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { type BuildJob, type Builds, BuildsAtCapacity, buildVariables } from '../builds.ts';
import type { RevisionRef } from '../workflow.ts';
import { s3Config } from './blobs.ts';
import { artifactKeyOf, buildStateOf } from './build-state.ts';

export type CodeBuildOptions = {
  projectName: string;
  /** Where tarballs, artifacts and job descriptions lie. */
  bucketName: string;
  registryHost: string | undefined;
  /** A build may take so long, waiting included: so long the addresses it is given are good. */
  timeoutSeconds: number;
};

/**
 * Builds in CodeBuild. What a build has to do is an object in the bucket; its environment, which is part of events, carries ids only.
 * Secrets are in neither.
 */
export function createCodeBuild(options: CodeBuildOptions): Builds {
  const client = new CodeBuildClient({});
  const s3 = new S3Client(s3Config);
  return {
    async start(job, idempotencyToken) {
      await describeJob(s3, options, job);
      const command = startCommand(options.projectName, job, idempotencyToken);
      const { build } = await client.send(command).catch((error: unknown) => {
        if (error instanceof AccountLimitExceededException) throw new BuildsAtCapacity(error.message);
        throw error;
      });
      if (build?.id === undefined) throw new Error('CodeBuild started a build without an id');
      return { buildId: build.id };
    },
    // CodeBuild takes the container away within seconds; what it may still upload until then is never read.
    async stop(buildId) {
      await client.send(new StopBuildCommand({ id: buildId })).catch((error: unknown) => {
        if (!(error instanceof ResourceNotFoundException)) throw error;
      });
    },
    async state(buildId) {
      const { builds = [] } = await client.send(new BatchGetBuildsCommand({ ids: [buildId] }));
      return buildStateOf(builds[0], options.registryHost);
    },
  };
}

/** A repeated start with the same token must be the same in every parameter, so nothing here depends on the time. */
function startCommand(projectName: string, job: RevisionRef, idempotencyToken: string): StartBuildCommand {
  const environment = {
    [buildVariables.tenantId]: job.tenantId,
    [buildVariables.deploymentId]: job.deploymentId,
    [buildVariables.revisionId]: job.revisionId,
  };
  return new StartBuildCommand({
    projectName,
    idempotencyToken,
    environmentVariablesOverride: Object.entries(environment).map(([name, value]) => ({
      name,
      value,
      type: 'PLAINTEXT',
    })),
  });
}

/** The object that tells a build what to do; its key follows from the ids in the build's environment. */
export const jobKeyOf = ({ tenantId, deploymentId, revisionId }: RevisionRef): string =>
  `builds/${tenantId}/${deploymentId}/${revisionId}.json`;

async function describeJob(
  s3: S3Client,
  { bucketName, timeoutSeconds }: CodeBuildOptions,
  job: BuildJob,
): Promise<void> {
  const expiresIn = timeoutSeconds;
  // What must not be shown is replaced where lines are taken in, so the build itself never knows those values.
  const { maskValues: _, source, ...rest } = job;
  const artifact = { Bucket: bucketName, Key: artifactKeyOf(job) };
  const description = {
    ...rest,
    source:
      source.kind === 'git'
        ? source
        : { ...source, url: await tarballUrl(s3, bucketName, source, expiresIn) },
    ...(job.output === 'folder' && {
      artifactKey: artifact.Key,
      artifactUploadUrl: await getSignedUrl(s3, new PutObjectCommand(artifact), { expiresIn }),
    }),
  };
  const object = { Bucket: bucketName, Key: jobKeyOf(job), ContentType: 'application/json' };
  await s3.send(new PutObjectCommand({ ...object, Body: JSON.stringify(description) }));
}

const tarballUrl = (
  s3: S3Client,
  bucketName: string,
  { key, versionId }: { key: string; versionId: string | undefined },
  expiresIn: number,
): Promise<string> =>
  getSignedUrl(s3, new GetObjectCommand({ Bucket: bucketName, Key: key, VersionId: versionId }), {
    expiresIn,
  });
