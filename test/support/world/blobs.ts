import { join } from 'node:path';
import { Readable } from 'node:stream';
import { UPLOAD_SIZE_BYTES_MAX } from '../../../lib/core/items/uploads.ts';
import { createDiskBlobs, type DiskBlobs } from '../../../lib/embedded/blobs/disk.ts';

/** Blobs in a folder of a test. Artifacts, which no test builds here, are always there. */
export function blobsIn(folder: string, baseUrl = () => 'http://127.0.0.1'): DiskBlobs {
  const blobs = createDiskBlobs({
    folder: join(folder, 'blobs'),
    baseUrl,
    signingKey: new Uint8Array(32).fill(7),
    now: Date.now,
    uploadBytesMax: UPLOAD_SIZE_BYTES_MAX,
  });
  const head: DiskBlobs['head'] = async (key) =>
    key.startsWith('artifacts/') ? { sizeBytes: 10, versionId: undefined } : blobs.head(key);
  return { ...blobs, head };
}

export const bytes = (text: string): Readable => Readable.from([Buffer.from(text)]);
