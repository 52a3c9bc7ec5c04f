import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Blobs } from '../adapters/blobs.ts';
import { type ServeSigned, type SignUrl, serveSigned, signer } from './blob-urls.ts';

/** What was stored: its size and the sha256 of its bytes, in hex. */
export type StoredBlob = { sizeBytes: number; sha256: string };

/** The port, and what only this machine's processes use: writing, reading, and answering the URLs that `downloadUrl` made. */
export type DiskBlobs = Blobs & {
  /** Stores the stream under `key`, whole or not at all (also across a crash). An older object of that key is replaced. */
  put(key: string, content: Readable, signal?: AbortSignal): Promise<StoredBlob>;
  /** The object's bytes; the stream fails with ENOENT when there is none. */
  read(key: string): Readable;
  /** Answers a request under `/blobs/`; false when the path is another one. */
  serve: ServeSigned;
};

export type DiskBlobsOptions = {
  folder: string;
  /** The address clients reach us at, without a trailing slash; asked when a URL is made, for the port is known late. */
  baseUrl: () => string;
  /** 256 bits that sign URLs; must stay the same across restarts. */
  signingKey: Uint8Array;
  now: () => number;
};

/** Files by key in a folder of this machine. */
export function createDiskBlobs(options: DiskBlobsOptions): DiskBlobs {
  const { folder, now } = options;
  const pathOf = (key: string) => join(folder, 'objects', checkKey(key));
  const sign: SignUrl = signer(options.signingKey);
  return {
    put: (key, content, signal) => writeWhole(join(folder, 'incoming'), pathOf(key), content, signal),
    read: (key) => createReadStream(pathOf(key)),
    async head(key) {
      const found = await fileStat(pathOf(key));
      return found && { sizeBytes: found.sizeBytes, versionId: undefined };
    },
    async delete(key) {
      await rm(pathOf(key), { force: true });
    },
    async downloadUrl(key, expiresSeconds) {
      const expires = Math.ceil(now() / 1000) + expiresSeconds;
      return `${options.baseUrl()}/blobs/${checkKey(key)}?expires=${expires}&signature=${sign('GET', key, expires)}`;
    },
    serve: serveSigned({ sign, now, isKey, find: (key) => fileStat(pathOf(key)) }),
  };
}

const keyPattern = /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/;

/** Parts of `.` and `..` are names of folders, so they are no keys. */
function isKey(key: string): boolean {
  return key.length <= 512 && keyPattern.test(key) && !key.split('/').some((part) => /^\.{1,2}$/.test(part));
}

function checkKey(key: string): string {
  if (!isKey(key)) throw new Error(`'${key.slice(0, 100)}' is not a valid key of a stored object.`);
  return key;
}

async function writeWhole(
  incoming: string,
  path: string,
  content: Readable,
  signal?: AbortSignal,
): Promise<StoredBlob> {
  await mkdir(incoming, { recursive: true });
  await mkdir(dirname(path), { recursive: true });
  const temporary = join(incoming, randomUUID());
  const hash = createHash('sha256');
  let sizeBytes = 0;
  async function* measured(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      sizeBytes += chunk.length;
      yield chunk;
    }
  }
  try {
    // flush: a rename must never become durable before the bytes it names.
    const file = createWriteStream(temporary, { flush: true, mode: 0o600 });
    await pipeline(content, measured, file, signal === undefined ? {} : { signal });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

async function fileStat(path: string): Promise<{ sizeBytes: number; path: string } | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? { sizeBytes: found.size, path } : undefined;
}
