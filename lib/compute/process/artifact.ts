import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { jittered, messageOf, pause } from '../../listener/backoff.ts';
import type { Processes } from '../../processes/run-command.ts';
import { unpackArchive } from '../../unpack/unpack.ts';

export type Download = {
  /** Absolute, or relative to the control plane's address. */
  url: string;
  sha256: string;
  /** Where the control plane is; only there the key is sent along. */
  baseUrl: string;
  apiKey: string;
};

/** A store that hiccups is asked again for about ten seconds; a task has a person waiting for it. */
const DOWNLOAD_ATTEMPTS = 6;
const RETRY_BASE_MILLISECONDS = 200;
const RETRY_CAP_MILLISECONDS = 4000;

/** The artifact cannot be had or is not what was promised: asking again does not help. */
class ArtifactError extends Error {}

async function fetchOnce(download: Download, file: string, signal: AbortSignal): Promise<void> {
  const url = new URL(download.url, `${download.baseUrl}/`);
  // A presigned address elsewhere carries its own signature, and our key is nobody else's business.
  const ours = url.origin === new URL(download.baseUrl).origin;
  const headers: Record<string, string> = ours ? { 'x-api-key': download.apiKey } : {};
  const response = await fetch(url, { headers, signal });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    const text = `The artifact could not be downloaded: HTTP ${response.status}`;
    if (response.status >= 500 || response.status === 429) throw new Error(text);
    throw new ArtifactError(text);
  }
  const hash = createHash('sha256');
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const body = Readable.fromWeb(response.body);
  await pipeline(body, hashing, createWriteStream(file, { mode: 0o600 }), { signal });
  const found = hash.digest('hex');
  if (found !== download.sha256.toLowerCase()) {
    throw new ArtifactError(`The artifact's SHA-256 is ${found}, not ${download.sha256}`);
  }
}

/** Downloads an artifact to `file`, checking its SHA-256. Throws when that fails for good. */
async function downloadArtifact(download: Download, file: string, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await fetchOnce(download, file, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ArtifactError) throw error;
      const reason = messageOf(error);
      const text = reason.startsWith('The artifact')
        ? reason
        : `The artifact could not be downloaded: ${reason}`;
      if (attempt === DOWNLOAD_ATTEMPTS) throw new ArtifactError(text);
    }
    await pause(jittered(attempt, RETRY_BASE_MILLISECONDS, RETRY_CAP_MILLISECONDS), signal);
  }
}

/** Twice of what a build may make, and more files than any project has. */
const UNPACKED = { bytesMax: 4 * 1024 ** 3, entriesMax: 1_000_000 } as const;
const PROCESSOR_SECONDS_MAX = 600;

/**
 * Unpacks a file that was checked against its SHA-256. A built folder rightly has links that lead out of it
 * (a Python environment's interpreter), and its code runs here anyway; but unpacking writes nothing outside.
 */
async function unpack(
  processes: Processes,
  file: string,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const what = { file, folder, compression: 'any', links: 'any', ...UNPACKED } as const;
  const unpacked = await unpackArchive(processes, what, signal, PROCESSOR_SECONDS_MAX);
  if (unpacked.outcome === 'refused')
    throw new ArtifactError(`The artifact could not be unpacked: ${unpacked.reason}`);
}

export type Fetched = { downloadMilliseconds: number; unpackMilliseconds: number };

/**
 * Makes sure that `folder` holds the unpacked artifact. The folder appears under its name only when it is
 * complete, so an existing one is used as it is.
 */
export async function fetchArtifact(
  processes: Processes,
  download: Download,
  folder: string,
  signal: AbortSignal,
): Promise<Fetched> {
  if (existsSync(folder)) return { downloadMilliseconds: 0, unpackMilliseconds: 0 };
  const work = `${folder}.partial-${randomUUID()}`;
  const begin = performance.now();
  try {
    await mkdir(join(work, 'content'), { recursive: true });
    await downloadArtifact(download, join(work, 'artifact.tar'), signal);
    const downloaded = performance.now();
    await unpack(processes, join(work, 'artifact.tar'), join(work, 'content'), signal);
    signal.throwIfAborted();
    await rename(join(work, 'content'), folder);
    return { downloadMilliseconds: downloaded - begin, unpackMilliseconds: performance.now() - downloaded };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
