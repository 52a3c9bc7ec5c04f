import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { lstat, mkdir, open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Entry } from './manifest.ts';

/** What was copied: its size and the sha256 of its bytes, in hex. */
export type Copied = { size: number; sha256: string };

/**
 * Copies the bytes of a file, and says what they were: it may grow meanwhile, and what counts is what was
 * written. Without `to` it only reads.
 */
export async function copyBytes(from: string, to?: string): Promise<Copied> {
  const hash = createHash('sha256');
  let size = 0;
  async function* measured(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  }
  const write = async (chunks: AsyncIterable<Buffer>) => {
    if (to === undefined) for await (const chunk of chunks) void chunk;
    else await pipeline(chunks, createWriteStream(to, { flags: 'wx', mode: 0o600 }));
  };
  // Opened before there is anything to write to: it may be gone.
  await using file = await open(from);
  await pipeline(file.createReadStream({ autoClose: false }), measured, write);
  return { size, sha256: hash.digest('hex') };
}

export type CopyOptions = {
  /** What is left out, by its path below the folder that is copied. */
  skips?: (path: string) => boolean;
  /** Paths of entries that an earlier copy has made: those files stay as they were then. */
  already?: ReadonlySet<string>;
  signal: AbortSignal;
};

/**
 * Copies what is in the folder `from` into `to`, which is made, and calls it `name` in the entries. Programs
 * work in it meanwhile: what is gone when its turn comes is left out. Sockets and the like are left out too.
 */
export async function copyFolder(
  from: string,
  to: string,
  name: string,
  { skips = () => false, already = new Set(), signal }: CopyOptions,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  const copy = async (below: string): Promise<void> => {
    signal.throwIfAborted();
    const source = join(from, below);
    const path = below === '' ? name : `${name}/${below}`;
    const found = await lstat(source);
    const mode = found.mode & 0o777;
    if (found.isDirectory()) {
      await mkdir(join(to, below), { mode: 0o700, recursive: true });
      if (!already.has(path)) entries.push({ path, mode, folder: true });
      for (const child of (await readdir(source)).sort()) {
        const next = below === '' ? child : `${below}/${child}`;
        if (!skips(next)) await copy(next).catch(unlessGone);
      }
    } else if (already.has(path)) return;
    else if (found.isSymbolicLink()) entries.push({ path, link: await readlink(source) });
    else if (found.isFile()) entries.push({ path, mode, ...(await copyBytes(source, join(to, below))) });
  };
  await copy('');
  return entries;
}

function unlessGone(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
