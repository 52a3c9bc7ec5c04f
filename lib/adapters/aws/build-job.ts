import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { DeploymentRef } from '../../contract/refs.ts';
import { artifactKeyOf } from '../../domain/file-places.ts';
import type { BuildJob } from '../builds.ts';
import type { PushSession } from './registry.ts';

/** The object that tells a build what to do; its key follows from the ids in the build's environment. */
export const jobKeyOf = ({
  tenantId,
  deploymentId,
  buildName,
}: DeploymentRef & Pick<BuildJob, 'buildName'>): string =>
  `builds/${tenantId}/${deploymentId}/${buildName}.json`;

export type JobPlace = {
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
export async function storeJob(
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
