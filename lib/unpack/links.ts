import { mkdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, posix } from 'node:path';
import { UnpackRefused } from './refused.ts';

/** The symbolic links of an archive: by path inside of it, what they say. */
export type Links = ReadonlyMap<string, string>;

/** As many as Linux follows. */
const FOLLOWED_MAX = 40;

/** Whether what a link says leads out of the archive, by the names alone. */
export function saysOut(path: string, target: string): boolean {
  return isAbsolute(target) || isOutside(posix.join(posix.dirname(path), target));
}

/** Whether a path inside an archive, in its shortest form, is none. */
export function isOutside(path: string): boolean {
  return isAbsolute(path) || path === '..' || path.startsWith('../');
}

/**
 * Makes all links of an archive. That comes last: while files are written there is no link that one could be
 * written through. For the same reason all folders are made before the first link.
 */
export function makeLinks(root: string, links: Links): void {
  for (const path of links.keys()) mkdirSync(dirname(join(root, path)), { recursive: true });
  for (const [path, target] of links) makeLink(root, path, target);
}

function makeLink(root: string, path: string, target: string): void {
  try {
    symlinkSync(target, join(root, path));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw new UnpackRefused(`'${path}' is there twice`);
    throw error;
  }
}

/**
 * Where each link really leads, now that all are there: links through links can leave the folder though none
 * says so.
 */
export function checkLinks(root: string, links: Links): void {
  for (const path of links.keys())
    if (!staysInside(root, path)) throw new UnpackRefused(`the link '${path}' leads out of it`);
}

/**
 * Follows a path as the system would, part by part. Unlike realpath it can tell of paths that lead nowhere,
 * and one that leaves the folder on its way is outside wherever it ends: the folder may get another name.
 */
function staysInside(root: string, path: string): boolean {
  const rest = path.split('/');
  const at: string[] = [];
  let followed = 0;
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (at.pop() === undefined) return false;
      continue;
    }
    const target = linkTarget(join(root, ...at, part));
    if (target === undefined) {
      at.push(part);
      continue;
    }
    followed += 1;
    if (isAbsolute(target) || followed > FOLLOWED_MAX) return false;
    rest.unshift(...target.split('/'));
  }
  return true;
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // No link, or nothing at all.
    if (code === 'EINVAL' || code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
