import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, realpath, rename, rm, symlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, posix, relative, resolve } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import * as tar from 'tar';
import { childEnvironment } from '../../../processes/environment.ts';
import { jittered, messageOf, pause } from '../../backoff.ts';

const run = promisify(execFile);

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

type Link = { path: string; target: string };

function leadsOut(link: Link): boolean {
  if (isAbsolute(link.target)) return true;
  const reached = posix.normalize(posix.join(posix.dirname(link.path), link.target));
  return reached === '..' || reached.startsWith('../');
}

function isLeadingOutPath(path: string): boolean {
  return isAbsolute(path) || path.split('/').includes('..');
}

/**
 * A built folder rightly has links that lead out of it (a Python environment's interpreter). They are made last, when nothing
 * more is written, so that no entry can be written through them.
 */
async function makeLinks(folder: string, links: Link[]): Promise<void> {
  const root = await realpath(folder);
  for (const link of links) {
    const path = resolve(root, link.path);
    await mkdir(dirname(path), { recursive: true });
    const inside = relative(root, await realpath(dirname(path)));
    if (inside.startsWith('..') || isAbsolute(inside))
      throw new ArtifactError(`Unsafe link in the artifact: ${link.path}`);
    await symlink(link.target, path);
  }
}

type Entry = { type?: unknown; linkpath?: unknown };

/** The link that an entry is, if it is one that leads out. */
function linkOut(path: string, { type, linkpath }: Entry): Link | undefined {
  const link = { path, target: String(linkpath) };
  return type === 'SymbolicLink' && leadsOut(link) ? link : undefined;
}

/** Looks through the whole file before anything is written. Throws for an entry whose path leads out; gives the links that do. */
async function linksOut(file: string): Promise<Link[]> {
  const links: Link[] = [];
  let unsafe: string | undefined;
  const onReadEntry = (entry: tar.ReadEntry) => {
    if (isLeadingOutPath(entry.path)) unsafe ??= entry.path;
    const link = linkOut(entry.path, entry);
    if (link !== undefined) links.push(link);
  };
  await tar.list({ file, onReadEntry });
  if (unsafe !== undefined) throw new ArtifactError(`Unsafe path in the artifact: ${unsafe}`);
  return links;
}

/**
 * Unpacks a file that was checked against its SHA-256. An agent has ten thousand small files: the system's own tar makes them in a twentieth of
 * the time, so it does the work where there is one and nothing leads out.
 */
async function unpack(file: string, folder: string, signal: AbortSignal): Promise<void> {
  const links = await linksOut(file);
  if (links.length === 0 && (await unpackBySystem(file, folder, signal))) return;
  const filter = (path: string, entry: object) => linkOut(path, entry) === undefined;
  await tar.extract({ file, cwd: folder, preserveOwner: false, filter });
  await makeLinks(folder, links);
}

/** False when this machine has no tar. */
async function unpackBySystem(file: string, folder: string, signal: AbortSignal): Promise<boolean> {
  try {
    await run('tar', ['-xf', file, '-C', folder, '--no-same-owner'], { env: childEnvironment(), signal });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

export type Fetched = { downloadMilliseconds: number; unpackMilliseconds: number };

/**
 * Makes sure that `folder` holds the unpacked artifact. The folder appears under its name only when it is complete, so an
 * existing one is used as it is.
 */
export async function fetchArtifact(
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
    await unpack(join(work, 'artifact.tar'), join(work, 'content'), signal).catch((error: unknown) => {
      throw error instanceof ArtifactError
        ? error
        : new ArtifactError(`The artifact could not be unpacked: ${messageOf(error)}`);
    });
    signal.throwIfAborted();
    await rename(join(work, 'content'), folder);
    return { downloadMilliseconds: downloaded - begin, unpackMilliseconds: performance.now() - downloaded };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
