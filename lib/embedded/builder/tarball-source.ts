import type { Processes } from '../../processes/run-command.ts';
import { unpackArchive } from '../../unpack/unpack.ts';
import type { BuildLog } from './build-log.ts';
import { BuildFailure } from './failure.ts';

/** What an uploaded tarball may unpack to. */
const UNPACKED_BYTES_MAX = 1024 ** 3;
const UNPACKED_ENTRIES_MAX = 100_000;

export type TarballRequest = {
  /** Where it is stored on this machine. */
  file: string;
  /** Of the stored (compressed) bytes, in hex. */
  sha256: string;
  /** An empty folder. */
  folder: string;
  log: BuildLog;
  signal: AbortSignal;
};

/**
 * Unpacks a gzipped tar file. Throws BuildFailure when it is damaged, is not the one that was recorded, is too large, or
 * holds what could reach out of the folder: absolute paths, `..`, devices, links that lead out.
 */
export async function unpackTarball(processes: Processes, request: TarballRequest): Promise<void> {
  const { file, sha256, folder, log, signal } = request;
  const limits = { bytesMax: UNPACKED_BYTES_MAX, entriesMax: UNPACKED_ENTRIES_MAX };
  const what = { file, sha256, folder, compression: 'gzip', links: 'inside', ...limits } as const;
  const unpacked = await unpackArchive(processes, what, signal);
  const { outcome, counts } = unpacked;
  if (outcome === 'changed') throw new BuildFailure('The source tarball is not the one that was uploaded');
  if (counts !== undefined)
    log.say(`Read ${counts.entries} entries of the tarball, ${counts.bytesInflated} bytes inflated`);
  if (outcome === 'refused')
    throw new BuildFailure(`The source tarball cannot be unpacked: ${unpacked.reason}`);
}
