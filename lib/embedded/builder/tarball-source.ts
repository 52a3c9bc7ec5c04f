import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
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
 * Unpacks a tar file, gzipped or not. Throws BuildFailure when it is damaged, is not the one that was recorded, is too large, or
 * holds what could reach out of the folder: absolute paths, `..`, devices, links that lead out.
 */
export async function unpackTarball({ content, sha256, folder, signal }: UnpackRequest): Promise<void> {
  const hash = createHash('sha256');
  const check = entryChecker(folder);
  const unpack = tar.extract({ cwd: folder, strict: true, filter: check.filter });
  async function* hashed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      if (check.problem() !== undefined) return;
      hash.update(chunk);
      yield chunk;
    }
  }
  try {
    await pipeline(content, hashed, unpack, { signal });
  } catch (error) {
    signal.throwIfAborted();
    const reason = check.problem() ?? (error instanceof Error ? error.message : String(error));
    throw new BuildFailure(`The source tarball cannot be unpacked: ${reason}`);
  }
  const problem = check.problem();
  if (problem !== undefined) throw new BuildFailure(`The source tarball cannot be unpacked: ${problem}`);
  if (hash.digest('hex') !== sha256)
    throw new BuildFailure('The source tarball is not the one that was uploaded');
}

function entryChecker(folder: string) {
  let problem: string | undefined;
  let entries = 0;
  let sizeBytes = 0;
  const find = (path: string, entry: tar.ReadEntry): string | undefined => {
    entries += 1;
    sizeBytes += entry.size ?? 0;
    if (entries > UNPACKED_ENTRIES_MAX) return `it has more than ${UNPACKED_ENTRIES_MAX} entries`;
    if (sizeBytes > UNPACKED_BYTES_MAX) return `it unpacks to more than ${UNPACKED_BYTES_MAX} bytes`;
    return pathProblem(folder, path, entry);
  };
  return {
    problem: () => problem,
    filter(path: string, entry: Stats | tar.ReadEntry): boolean {
      if (problem === undefined && 'header' in entry) problem = find(path, entry);
      return problem === undefined;
    },
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
