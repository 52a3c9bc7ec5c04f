import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NotFound,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { BlobFacts, Blobs } from '../blobs.ts';

/**
 * The SDK's checksums would become parts of signed addresses, which plain HTTP clients then could not use.
 */
export const s3Config = {
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
} as const;

/** Objects of one versioned bucket. */
export function createS3Blobs(bucketName: string): Blobs {
  const client = new S3Client(s3Config);
  const at = (key: string) => ({ Bucket: bucketName, Key: key });
  const head = (key: string) => headObject(client, at(key));
  return {
    downloadUrl: (key, expiresSeconds) =>
      getSignedUrl(client, new GetObjectCommand(at(key)), { expiresIn: expiresSeconds }),
    uploadUrl: (key, expiresSeconds) =>
      getSignedUrl(client, new PutObjectCommand(at(key)), { expiresIn: expiresSeconds }),
    head,
    async pin(key, keptAs, sizeBytesMax) {
      const found = await head(key);
      if (found === undefined) return 'absent';
      if (found.sizeBytes > sizeBytesMax) return 'too_large';
      const sha256 = await digest(client, { ...at(key), VersionId: found.versionId });
      await copy(client, { ...at(key), VersionId: found.versionId }, keptAs(sha256));
      return { ...found, sha256 };
    },
    async delete(key) {
      await client.send(new DeleteObjectCommand(at(key)));
    },
    list: (key) => listBelow(client, bucketName, `${key}/`),
    deleteBelow: (key) => deleteBelow(client, bucketName, `${key}/`),
  };
}

/** Of that very version: another one may lie there since. */
async function copy(
  client: S3Client,
  { Bucket, Key, VersionId }: Place & { VersionId: string | undefined },
  to: string,
): Promise<void> {
  const version = VersionId === undefined ? '' : `?versionId=${encodeURIComponent(VersionId)}`;
  await client.send(new CopyObjectCommand({ Bucket, Key: to, CopySource: `${Bucket}/${Key}${version}` }));
}

async function listBelow(client: S3Client, Bucket: string, Prefix: string) {
  const pages = paginateListObjectsV2({ client }, { Bucket, Prefix });
  const found: { key: string; sizeBytes: number }[] = [];
  for await (const { Contents = [] } of pages)
    for (const { Key: key, Size: sizeBytes = 0 } of Contents)
      if (key !== undefined) found.push({ key, sizeBytes });
  return found;
}

/**
 * A thousand at a time, which is what one request lists. In a versioned bucket what is deleted stays for a
 * while as a version that is not current; its lifecycle removes that.
 */
async function deleteBelow(client: S3Client, Bucket: string, Prefix: string): Promise<'done' | 'more'> {
  const { Contents = [], IsTruncated } = await client.send(new ListObjectsV2Command({ Bucket, Prefix }));
  if (Contents.length === 0) return 'done';
  const Objects = Contents.map(({ Key }) => ({ Key }));
  const { Errors: [failed] = [] } = await client.send(
    new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }),
  );
  if (failed !== undefined) throw new Error(`${failed.Key} could not be deleted: ${failed.Code}`);
  return IsTruncated === true ? 'more' : 'done';
}

type Place = { Bucket: string; Key: string };

async function headObject(client: S3Client, place: Place): Promise<BlobFacts | undefined> {
  try {
    const found = await client.send(new HeadObjectCommand(place));
    return { sizeBytes: found.ContentLength ?? 0, versionId: found.VersionId };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/**
 * A role without `s3:ListBucket`, and one whose policy does not fit for a moment, is told 403 of an object
 * that is not there.
 */
const isAbsent = (error: unknown): boolean =>
  error instanceof NotFound ||
  (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 403);

async function digest(client: S3Client, place: Place & { VersionId: string | undefined }): Promise<string> {
  const { Body } = await client.send(new GetObjectCommand(place));
  const hash = createHash('sha256');
  // In Node, the body of an answer is a stream of Node's.
  for await (const chunk of Body as Readable) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
