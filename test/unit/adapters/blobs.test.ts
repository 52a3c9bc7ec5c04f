import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NotFound,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createS3Blobs } from '../../../lib/adapters/aws/blobs.ts';

const s3 = mockClient(S3Client);

beforeAll(() => {
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterAll(() => vi.unstubAllEnvs());
beforeEach(() => s3.reset());

const s3Error = (name: string, httpStatusCode: number) =>
  new S3ServiceException({ name, message: name, $fault: 'client', $metadata: { httpStatusCode } });

describe('S3 blobs', () => {
  it('sign an address for one object, without checksums that a plain client could not give', async () => {
    const url = new URL(await createS3Blobs('bucket').downloadUrl('artifacts/t/d/r.tar', 60));
    expect([url.host, url.pathname]).toEqual(['bucket.s3.eu-west-1.amazonaws.com', '/artifacts/t/d/r.tar']);
    expect(url.searchParams.get('X-Amz-Expires')).toBe('60');
    expect([...url.searchParams.keys()].filter((name) => /checksum/i.test(name))).toEqual([]);
  });

  it('tell the size and version of an object, and that there is none', async () => {
    const blobs = createS3Blobs('bucket');
    s3.on(HeadObjectCommand)
      .resolvesOnce({ ContentLength: 7, VersionId: 'v' })
      .rejectsOnce(new NotFound({ message: 'no', $metadata: {} }))
      // To who may not list, S3 does not say that there is none; without a body its error has no better name.
      .rejectsOnce(s3Error('Forbidden', 403))
      .rejectsOnce(s3Error('SlowDown', 503))
      .rejects(new Error('down'));
    expect(await blobs.head('k')).toEqual({ sizeBytes: 7, versionId: 'v' });
    expect(await blobs.head('k')).toBeUndefined();
    expect(await blobs.head('k')).toBeUndefined();
    await expect(blobs.head('k')).rejects.toThrow('SlowDown');
    await expect(blobs.head('k')).rejects.toThrow('down');
  });

  it('sign an upload that a plain client can make', async () => {
    const url = new URL(await createS3Blobs('bucket').uploadUrl('pending/t/d/u.tar.gz', 900));
    expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('host');
    expect([...url.searchParams.keys()].filter((name) => /checksum/i.test(name))).toEqual([]);
  });

  it('pin the version that they have read, by a copy', async () => {
    const blobs = createS3Blobs('bucket');
    s3.on(HeadObjectCommand).resolves({ ContentLength: 5, VersionId: 'v' });
    // The mock takes the stream for the SDK's own, which adds methods that are not used here.
    s3.on(GetObjectCommand).resolves({
      Body: Readable.from([Buffer.from('he'), Buffer.from('llo')]) as never,
    });
    const sha256 = createHash('sha256').update('hello').digest('hex');
    s3.on(CopyObjectCommand).resolves({});
    const keptAs = (digest: string) => `pinned/${digest}`;
    expect(await blobs.pin('k', keptAs, 5)).toEqual({ sizeBytes: 5, versionId: 'v', sha256 });
    expect(s3.commandCalls(CopyObjectCommand).map(({ args }) => args[0].input)).toEqual([
      { Bucket: 'bucket', Key: `pinned/${sha256}`, CopySource: 'bucket/k?versionId=v' },
    ]);
    expect(s3.commandCalls(GetObjectCommand)[0]?.args[0].input).toEqual({
      Bucket: 'bucket',
      Key: 'k',
      VersionId: 'v',
    });
    expect(await blobs.pin('k', keptAs, 4)).toBe('too_large');
    s3.on(HeadObjectCommand).rejects(new NotFound({ message: 'no', $metadata: {} }));
    expect(await blobs.pin('k', keptAs, 5)).toBe('absent');
    expect(s3.commandCalls(GetObjectCommand)).toHaveLength(1);
    expect(s3.commandCalls(CopyObjectCommand)).toHaveLength(1);
  });

  it('delete an object', async () => {
    s3.on(DeleteObjectCommand).resolves({});
    await createS3Blobs('bucket').delete('k');
    expect(s3.commandCalls(DeleteObjectCommand)[0]?.args[0].input).toEqual({ Bucket: 'bucket', Key: 'k' });
  });

  it('list everything below a key, page by page', async () => {
    s3.on(ListObjectsV2Command)
      .resolvesOnce({
        Contents: [{ Key: 'a/b/1', Size: 3 }],
        NextContinuationToken: 'more',
        IsTruncated: true,
      })
      .resolves({ Contents: [{ Key: 'a/b/2', Size: 4 }] });
    expect(await createS3Blobs('bucket').list('a/b')).toEqual([
      { key: 'a/b/1', sizeBytes: 3 },
      { key: 'a/b/2', sizeBytes: 4 },
    ]);
    const asked = s3.commandCalls(ListObjectsV2Command).map(({ args }) => args[0].input);
    expect(asked).toMatchObject([{ Prefix: 'a/b/' }, { Prefix: 'a/b/', ContinuationToken: 'more' }]);
  });

  it('delete what is below a key, a page at a call, and say what could not be', async () => {
    const page = (...keys: string[]) => ({ Contents: keys.map((Key) => ({ Key })) });
    s3.on(ListObjectsV2Command)
      .resolvesOnce({ ...page('a/b/1', 'a/b/2'), IsTruncated: true })
      .resolvesOnce(page('a/b/3'))
      .resolves({});
    s3.on(DeleteObjectsCommand).resolves({});
    const blobs = createS3Blobs('bucket');
    expect(await blobs.deleteBelow('a/b')).toBe('more');
    expect(await blobs.deleteBelow('a/b')).toBe('done');
    expect(await blobs.deleteBelow('a/b')).toBe('done');
    const asked = s3.commandCalls(ListObjectsV2Command).map(({ args }) => args[0].input);
    expect(asked).toEqual(Array.from({ length: 3 }, () => ({ Bucket: 'bucket', Prefix: 'a/b/' })));
    const deleted = s3.commandCalls(DeleteObjectsCommand).map(({ args }) => args[0].input.Delete?.Objects);
    expect(deleted).toEqual([[{ Key: 'a/b/1' }, { Key: 'a/b/2' }], [{ Key: 'a/b/3' }]]);
    s3.on(ListObjectsV2Command).resolves(page('a/b/4'));
    s3.on(DeleteObjectsCommand).resolves({ Errors: [{ Key: 'a/b/4', Code: 'AccessDenied' }] });
    await expect(blobs.deleteBelow('a/b')).rejects.toThrow('a/b/4 could not be deleted: AccessDenied');
  });
});
