import { readdir, rename, rmdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
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

/** What stands at the root of a project, whatever it is written in. */
const AT_ROOT =
  /^(?:langgraph\.json|package\.json|Procfile|Dockerfile|pyproject\.toml|Pipfile|requirements.*\.txt|setup\.py|manage\.py|go\.mod|Cargo\.toml|deno\.jsonc?)$/;

/** Not a name that an archive has: nothing is in the way while files move. */
const MOVED = '.slipway-unpacked';

/**
 * Takes a source out of the one folder that an archive has around everything, as those of GitHub do: paths of
 * the deployment begin at the project. `wanted`: where the first name of such a path shows that the folder
 * is a part of them, it stays.
 */
export async function leaveOuterFolder(
  folder: string,
  wanted: { configPath: string; rootDirectory?: string | undefined },
  say: (text: string) => void,
): Promise<void> {
  const [outer, ...others] = await readdir(folder, { withFileTypes: true });
  if (outer === undefined || others.length > 0 || !outer.isDirectory()) return;
  const [first] = posix
    .join(wanted.rootDirectory ?? '.', wanted.configPath)
    .split('/')
    .filter(Boolean);
  const inner = await readdir(join(folder, outer.name));
  const isAround = inner.some((name) => AT_ROOT.test(name)) || inner.includes(first ?? '');
  if (outer.name === first || !isAround) return;
  const moved = join(folder, MOVED);
  await rename(join(folder, outer.name), moved);
  for (const name of inner) await rename(join(moved, name), join(folder, name));
  await rmdir(moved);
  say(`Everything in the archive lies in the folder ${outer.name}, so paths begin there`);
}
