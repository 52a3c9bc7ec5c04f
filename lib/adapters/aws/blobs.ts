import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NotFound,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Blobs } from '../blobs.ts';

/** The SDK's checksums would become parts of signed addresses, which plain HTTP clients then could not use. */
export const s3Config = {
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
} as const;

/** Objects of one bucket. A role without `s3:ListBucket` is told 403 of an object that is not there, so `head` needs that too. */
export function createS3Blobs(bucketName: string): Blobs {
  const client = new S3Client(s3Config);
  const at = (key: string) => ({ Bucket: bucketName, Key: key });
  return {
    downloadUrl: (key, expiresSeconds) =>
      getSignedUrl(client, new GetObjectCommand(at(key)), { expiresIn: expiresSeconds }),
    async head(key) {
      try {
        const found = await client.send(new HeadObjectCommand(at(key)));
        return { sizeBytes: found.ContentLength ?? 0, versionId: found.VersionId };
      } catch (error) {
        if (error instanceof NotFound) return undefined;
        throw error;
      }
    },
    async delete(key) {
      await client.send(new DeleteObjectCommand(at(key)));
    },
  };
}
