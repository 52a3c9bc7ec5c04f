import type { Stats } from 'node:fs';
import { posix } from 'node:path';
import * as tar from 'tar';
import { checkLinks, isOutside, makeLinks, saysOut } from './links.ts';
import { UnpackRefused } from './refused.ts';
import type { ReadCounts, UnpackRequest } from './unpack.ts';

const ORDINARY = new Set(['File', 'OldFile', 'ContiguousFile', 'Directory', 'GNUDumpDir']);
/** Headers, padding and long names beside the content of an entry. */
const OVERHEAD_BYTES_MAX = 4096;

export type Extractor = {
  readonly counts: ReadCounts;
  /**
   * Takes the next bytes of the plain tar file. True when the archive has ended: what follows is nobody's.
   */
  write(chunk: Buffer): boolean;
  /** Makes what can only be made when all else is there. Call it after the last `write`. */
  finish(): void;
};

/**
 * Writes the entries of an archive into its folder as they come. Everything throws Refused for what an
 * archive must not hold. The synchronous unpacker takes a twenty-fifth of the time of the other one, and this
 * process has nothing else to do.
 */
export function createExtractor(request: UnpackRequest): Extractor {
  const { folder, bytesMax, entriesMax } = request;
  const counts: ReadCounts = { entries: 0, bytesInflated: 0 };
  const links = new Map<string, string>();
  let sizeBytes = 0;
  let ended = false;
  const take = (entry: tar.ReadEntry): boolean => {
    counts.entries += 1;
    sizeBytes += entry.size ?? 0;
    if (counts.entries > entriesMax) throw new UnpackRefused(`it has more than ${entriesMax} entries`);
    if (sizeBytes > bytesMax) throw tooLarge(bytesMax);
    return takeEntry(entry, links, request.links === 'inside');
  };
  const unpack = new tar.UnpackSync({
    cwd: folder,
    strict: true,
    preserveOwner: false,
    // What looks compressed inside of what was inflated already is inflated by nobody.
    maxDecompressionRatio: 0,
    zstd: false,
    filter: (_path: string, entry: Stats | tar.ReadEntry) => 'header' in entry && take(entry),
  });
  unpack.on('error', (error: unknown) => {
    throw error;
  });
  unpack.on('abort', () => {
    throw new UnpackRefused('it is compressed twice');
  });
  unpack.on('eof', () => {
    ended = true;
  });
  return {
    counts,
    write(chunk) {
      counts.bytesInflated += chunk.length;
      if (counts.bytesInflated > bytesMax + entriesMax * OVERHEAD_BYTES_MAX) throw tooLarge(bytesMax);
      unpack.write(chunk);
      return ended;
    },
    finish() {
      if (!ended) unpack.end();
      if (counts.entries === 0) throw new UnpackRefused('it has no entries');
      makeLinks(folder, links);
      if (request.links === 'inside') checkLinks(folder, links);
    },
  };
}

const tooLarge = (bytesMax: number) => new UnpackRefused(`it unpacks to more than ${bytesMax} bytes`);

/** Whether the entry is to be written now. Symbolic links are noted instead. */
function takeEntry(entry: tar.ReadEntry, links: Map<string, string>, inside: boolean): boolean {
  const { path, type, linkpath = '' } = entry;
  if (path.startsWith('/') || path.split('/').includes('..'))
    throw new UnpackRefused(`'${path}' leads out of it`);
  // No archive makes a program that runs as somebody else.
  if (entry.mode !== undefined) entry.mode &= 0o777;
  if (type !== 'SymbolicLink' && type !== 'Link') {
    if (ORDINARY.has(type)) return true;
    throw new UnpackRefused(`'${path}' is neither a file, a folder nor a link`);
  }
  // A second name of a link is a link that says the same.
  const said = type === 'SymbolicLink' ? linkpath : links.get(shortest(linkpath));
  const out = said === undefined ? isOutside(posix.normalize(linkpath)) : inside && saysOut(path, said);
  if (out) throw new UnpackRefused(`the link '${path}' leads out of it`);
  if (said !== undefined) links.set(shortest(path), said);
  return said === undefined;
}

/** Two spellings of a path are one. */
const shortest = (path: string): string => posix.normalize(path).replace(/\/$/, '');
