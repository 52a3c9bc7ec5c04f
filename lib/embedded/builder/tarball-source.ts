import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Stats } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import * as tar from 'tar';
import { BuildFailure } from './failure.ts';
import { isInside } from './project.ts';

/** What an uploaded tarball may unpack to. */
export const UNPACKED_BYTES_MAX = 1024 ** 3;
export const UNPACKED_ENTRIES_MAX = 100_000;

export type UnpackRequest = {
  content: Readable;
  /** Of the stored (compressed) bytes, in hex. */
  sha256: string;
  /** An empty folder. */
  folder: string;
  signal: AbortSignal;
};

/**
 * Unpacks a gzipped tar file. Throws BuildFailure when it is damaged, is not the one that was recorded, is too large, or
 * holds what could reach out of the folder: absolute paths, `..`, devices, links that lead out.
 */
export async function unpackTarball(request: UnpackRequest): Promise<void> {
  const { content, sha256, signal } = request;
  const hash = createHash('sha256');
  try {
    await extract(request, (chunk) => hash.update(chunk));
  } catch (error) {
    signal.throwIfAborted();
    throw new BuildFailure(`The source tarball cannot be unpacked: ${reasonOf(error)}`);
  } finally {
    content.destroy();
  }
  if (hash.digest('hex') !== sha256)
    throw new BuildFailure('The source tarball is not the one that was uploaded');
}

/** Of what went wrong; a path of this machine is nothing to tell. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && error.code === 'ENOENT' ? 'it is not stored any more' : error.message;
}

/**
 * Feeds the unpacker by hand: it is no stream of Node's, and one that met an entry it does not like never finishes. The first
 * problem ends the work; nothing is written for the entry that has it, nor for any after it.
 */
async function extract(
  { content, folder, signal }: UnpackRequest,
  onChunk: (chunk: Buffer) => void,
): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const fail = (error: unknown) => ended.reject(error);
  const filter = entryFilter(folder, (problem) => fail(new Error(problem)));
  const unpack = tar.extract({ cwd: folder, strict: true, filter });
  unpack.on('error', fail);
  unpack.on('close', () => ended.resolve());
  const onAbort = () => fail(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const fed = feed(content, unpack, onChunk);
  // When the end comes first, the feeder is cut off by closing what it reads from.
  fed.catch(fail);
  try {
    await ended.promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function feed(content: Readable, unpack: tar.Unpack, onChunk: (chunk: Buffer) => void): Promise<void> {
  // A stream of bytes: nothing set an encoding or object mode on it.
  let first = true;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    if (first && !(chunk[0] === 0x1f && (chunk.length === 1 || chunk[1] === 0x8b)))
      throw new Error('it is not gzip-compressed');
    first = false;
    onChunk(chunk);
    if (!unpack.write(chunk)) await once(unpack, 'drain');
  }
  if (first) throw new Error('it is empty');
  unpack.end();
}

function entryFilter(folder: string, onProblem: (problem: string) => void) {
  let refused = false;
  let entries = 0;
  let sizeBytes = 0;
  const find = (path: string, entry: tar.ReadEntry): string | undefined => {
    entries += 1;
    sizeBytes += entry.size ?? 0;
    if (entries > UNPACKED_ENTRIES_MAX) return `it has more than ${UNPACKED_ENTRIES_MAX} entries`;
    if (sizeBytes > UNPACKED_BYTES_MAX) return `it unpacks to more than ${UNPACKED_BYTES_MAX} bytes`;
    return pathProblem(folder, path, entry);
  };
  return (path: string, entry: Stats | tar.ReadEntry): boolean => {
    const problem = refused || !('header' in entry) ? undefined : find(path, entry);
    refused ||= problem !== undefined;
    if (problem !== undefined) onProblem(problem);
    return !refused;
  };
}

function pathProblem(folder: string, path: string, entry: tar.ReadEntry): string | undefined {
  const target = resolve(folder, path);
  if (path.startsWith('/') || path.split('/').includes('..') || !isInside(folder, target, true)) {
    return `'${path}' leads out of it`;
  }
  const { type, linkpath = '' } = entry;
  if (type === 'SymbolicLink') return linkProblem(folder, path, join(target, '..', linkpath), linkpath);
  if (type === 'Link') return linkProblem(folder, path, resolve(folder, linkpath), linkpath);
  const ordinary = ['File', 'OldFile', 'ContiguousFile', 'Directory', 'GNUDumpDir'].includes(type);
  return ordinary ? undefined : `'${path}' is neither a file, a folder nor a link`;
}

function linkProblem(folder: string, path: string, target: string, linkpath: string): string | undefined {
  const inside = !linkpath.startsWith('/') && isInside(folder, target, true);
  return inside ? undefined : `the link '${path}' leads out of it`;
}
