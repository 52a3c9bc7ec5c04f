import type { Unpacked, UnpackRequest } from '../unpack/unpack.ts';
import { BuildFailure } from './failure.ts';

/** What an uploaded tarball may unpack to. */
const UNPACKED_BYTES_MAX = 1024 ** 3;
const UNPACKED_ENTRIES_MAX = 100_000;

export type Tarball = {
  /** Where it lies on this machine. */
  file: string;
  /** Of the stored (compressed) bytes, in hex. */
  sha256: string;
  /** An empty folder. */
  folder: string;
};

/** How an uploaded source is unpacked: gzip alone, and nothing that could reach out of the folder. */
export const unpackTarball = (tarball: Tarball): UnpackRequest => ({
  ...tarball,
  compression: 'gzip',
  links: 'inside',
  bytesMax: UNPACKED_BYTES_MAX,
  entriesMax: UNPACKED_ENTRIES_MAX,
});

/** Says how much was read. Throws BuildFailure when nothing was unpacked. */
export function reportUnpacked(unpacked: Unpacked, say: (text: string) => void): void {
  const { outcome, counts } = unpacked;
  if (outcome === 'changed')
    throw new BuildFailure('The source tarball differs from the one that was uploaded');
  if (counts !== undefined)
    say(`Read ${counts.entries} entries of the tarball, ${counts.bytesInflated} bytes inflated`);
  if (outcome === 'refused')
    throw new BuildFailure(`The source tarball cannot be unpacked: ${unpacked.reason}`);
}
