import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readlinkSync, realpathSync, type Stats } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { constants, createZstdCompress } from 'node:zlib';
import * as tar from 'tar';
import type { BuildVariable } from '../../adapters/builds.ts';
import { isInside } from '../../builds/project.ts';
import { refuseSecrets } from '../../builds/secret-search.ts';

/**
 * Twice as fast as gzip and half its size for what package managers install, since it finds files that are
 * there twice; a window of 16 MiB keeps the memory of both sides small.
 */
const COMPRESSION = {
  params: {
    [constants.ZSTD_c_compressionLevel]: 3,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
    [constants.ZSTD_c_windowLog]: 24,
  },
};

/** As much of a file is taken up at once. */
const CHUNK_BYTES = 1024 ** 2;

/** Removes a folder with all it holds, also while something in it is just being closed. */
export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/**
 * Gets rid of a folder without waiting for it: its name is free at once, and its files go in the background
 * (what an early end of this process leaves is removed at the next start). Never throws.
 */
export async function discardFolder(path: string): Promise<void> {
  const discarded = `${path}.${randomUUID()}.discarded`;
  await rename(path, discarded).catch(() => undefined);
  void removeFolder(discarded).catch(() => undefined);
}

/**
 * What a folder takes on disk. `du` is a separate process, so a hundred thousand files do not hold up this
 * one.
 */
export function folderSizeBytes(path: string): Promise<number> {
  return new Promise((done) => {
    // Files that vanish while it looks make it exit with 1, but the sum is printed.
    execFile('du', ['-sk', path], { env: { PATH: process.env.PATH ?? '' } }, (_error, stdout) => {
      done(Number.parseInt(stdout, 10) * 1024 || 0);
    });
  });
}

/**
 * The whole folder as a tar stream, compressed with Zstandard, without owners. Links are kept as links, and
 * only when they stay inside the folder; `onDropped` hears of the others (and of devices, sockets and pipes),
 * which are left out. The stream ends with a BuildFailure for the value of a secret of the build.
 */
export function packFolder(
  root: string,
  onDropped: (path: string) => void,
  secrets: readonly BuildVariable[] = [],
): Readable {
  const realRoot = realpathSync(root);
  const filter = (path: string, entry: Stats | tar.ReadEntry): boolean => {
    const keep = isStats(entry) && isPortable(realRoot, path, entry);
    if (!keep) onDropped(path);
    return keep;
  };
  const options = { cwd: realRoot, portable: true, follow: false, filter, maxReadSize: CHUNK_BYTES };
  const plain = Readable.from(tar.create(options, ['.']));
  // Whoever reads hears of a failure; there is nothing more to do here.
  const compress = createZstdCompress(COMPRESSION);
  pipeline([plain, ...refuseSecrets(secrets), compress], () => undefined);
  return compress;
}

function isStats(entry: Stats | tar.ReadEntry): entry is Stats {
  return 'isSymbolicLink' in entry;
}

function isPortable(root: string, path: string, stats: Stats): boolean {
  if (stats.isFile() || stats.isDirectory()) return true;
  return stats.isSymbolicLink() && staysInside(root, resolve(root, path));
}

/**
 * A relative link whose target, through all further links, lies in the folder. One that leads nowhere stays
 * when it points inside.
 */
function staysInside(root: string, link: string): boolean {
  const target = readlinkSync(link);
  if (isAbsolute(target)) return false;
  const lexical = resolve(join(realpathSync(dirname(link)), target));
  try {
    return isInside(root, realpathSync(lexical), true);
  } catch {
    return isInside(root, lexical, true);
  }
}
