import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BlobFacts, Blobs } from '../../adapters/blobs.ts';
import { type ServeSigned, type SignUrl, serveSigned, signer } from './signed-urls.ts';

/** What was stored: its size and the sha256 of its bytes, in hex. */
export type StoredBlob = { sizeBytes: number; sha256: string };

/**
 * The port, and what only this machine's processes use: writing, reading, and answering the URLs that
 * `downloadUrl` made.
 */
export type DiskBlobs = Blobs & {
  /**
   * Stores the stream under `key`, whole or not at all (also across a crash). An older object of that key is
   * replaced.
   */
  put(key: string, content: Readable, signal?: AbortSignal): Promise<StoredBlob>;
  /** The object's bytes; the stream fails with ENOENT when there is none. */
  read(key: string): Readable;
  /** The file that holds the object. It may not be there. */
  fileOf(key: string): string;
  /** Deletes objects whose key begins with this one and a slash, and that were stored longer ago. */
  expireBelow(key: string, milliseconds: number): Promise<void>;
  /** Answers a request under `/blobs/`; false when the path is another one. */
  serve: ServeSigned;
};

export type DiskBlobsOptions = {
  folder: string;
  /**
   * The address clients reach us at, without a trailing slash; asked when a URL is made, for the port is
   * known late.
   */
  baseUrl: () => string;
  /** 256 bits that sign URLs; must stay the same across restarts. */
  signingKey: Uint8Array;
  now: () => number;
  /** What a signed PUT may bring. */
  uploadBytesMax: number;
};

/** Files by key in a folder of this machine. */
export function createDiskBlobs(options: DiskBlobsOptions): DiskBlobs {
  const { folder, now } = options;
  const pathOf = (key: string) => join(folder, 'objects', checkKey(key));
  const sign: SignUrl = signer(options.signingKey);
  const put: DiskBlobs['put'] = (key, content, signal) =>
    writeWhole(join(folder, 'incoming'), pathOf(key), content, signal);
  const signedUrl = (method: string, key: string, expiresSeconds: number) => {
    const expires = Math.ceil(now() / 1000) + expiresSeconds;
    return `${options.baseUrl()}/blobs/${checkKey(key)}?expires=${expires}&signature=${sign(method, key, expires)}`;
  };
  return {
    put,
    read: (key) => createReadStream(pathOf(key)),
    fileOf: pathOf,
    async head(key) {
      const found = await fileStat(pathOf(key));
      return found && { sizeBytes: found.sizeBytes, versionId: found.versionId };
    },
    pin: (key, keptAs, sizeBytesMax) =>
      withLink(join(folder, 'incoming'), pathOf(key), async (same) => {
        const found = await fileStat(same);
        if (found === undefined) return 'absent';
        const { sizeBytes, versionId } = found;
        if (sizeBytes > sizeBytesMax) return 'too_large';
        const sha256 = await digest(same);
        const path = pathOf(keptAs(sha256));
        await mkdir(dirname(path), { recursive: true });
        await rename(same, path);
        return { sizeBytes, versionId, sha256 };
      }),
    async delete(key) {
      await rm(pathOf(key), { force: true });
    },
    list: (key) => listFiles(pathOf(key), key),
    async deleteBelow(key) {
      await rm(pathOf(key), { recursive: true, force: true });
      return 'done';
    },
    async expireBelow(key, milliseconds) {
      for (const { key: one } of await listFiles(pathOf(key), key)) {
        const found = await stat(pathOf(one)).catch(() => undefined);
        if (found !== undefined && now() - found.mtimeMs > milliseconds)
          await rm(pathOf(one), { force: true });
      }
    },
    downloadUrl: async (key, expiresSeconds) => signedUrl('GET', key, expiresSeconds),
    uploadUrl: async (key, expiresSeconds) => signedUrl('PUT', key, expiresSeconds),
    serve: serveSigned({
      sign,
      now,
      isKey,
      find: (key) => fileStat(pathOf(key)),
      put,
      sizeBytesMax: options.uploadBytesMax,
    }),
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

type FoundFile = BlobFacts & { path: string; versionId: string };

async function listFiles(folder: string, key: string): Promise<{ key: string; sizeBytes: number }[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const file = await fileStat(join(folder, name));
      return file && { key: `${key}/${name.split(sep).join('/')}`, sizeBytes: file.sizeBytes };
    }),
  );
  return found.filter((file) => file !== undefined);
}

/**
 * A file is written once and renamed into place, so its number and its time tell one version of a key from
 * the next.
 */
async function fileStat(path: string): Promise<FoundFile | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  if (found?.isFile() !== true) return undefined;
  return { sizeBytes: Number(found.size), path, versionId: `${found.ino}-${found.mtimeNs}` };
}

/**
 * Gives the work another name for the bytes of a file, which no later file of its name touches. Without such
 * a file it names none.
 */
async function withLink<T>(incoming: string, path: string, work: (same: string) => Promise<T>): Promise<T> {
  await mkdir(incoming, { recursive: true });
  const same = join(incoming, randomUUID());
  try {
    await link(path, same).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    });
    return await work(same);
  } finally {
    // It is there still where the work did not move it, or moved it to a name of the same file.
    await rm(same, { force: true });
  }
}

async function digest(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
